"""The table of obstacles, by kind and source."""

from collections.abc import Mapping
from itertools import islice

from api.reports import svg
from api.roof.drawing import texts
from api.roof.drawing.block import LEFT, Block
from api.roof.drawing.scene import Scene
from kernels.roof.roof import Obstacle

_MOST = 6
"""Rows of the table."""

_Group = tuple[str, str]
"""Kind and source."""


def letters(scene: Scene) -> Mapping[_Group, str]:
    """Return the letter of each row of the table, which stands for it where the plan has no room for its name."""
    groups = dict.fromkeys((one.kind, one.source) for one in scene.roof.obstacles)
    return {group: chr(ord("A") + n) for n, group in enumerate(islice(groups, _MOST))}


def obstacles(scene: Scene, used: frozenset[str]) -> Block:
    """Return the table, with the letters that are used in the plan."""
    block, w = Block(), texts.words()
    groups: dict[_Group, list[Obstacle]] = {}
    for one in scene.roof.obstacles:
        groups.setdefault((one.kind, one.source), []).append(one)
    if groups:
        block.title(w["obstacles"]["title"])
    for group, letter in letters(scene).items():
        block.write(_row(groups[group]), x=LEFT + (20 if used else 0))
        if letter in used:
            block.parts.append(svg.text(LEFT, block.height, letter, 14.0, text_anchor="start", font_weight=600))
    if len(groups) > _MOST:
        block.write(w["more"].format(count=len(groups) - _MOST))
    return block


def _row(group: list[Obstacle]) -> str:
    w, kind, source = texts.words()["obstacles"], group[0].kind, group[0].source
    if kind == "solceller":
        return str(w["existing"].format(count=len(group), source=w[source]))
    told = _heights([one.height for one in group if one.height is not None])
    return str(w["row"].format(count=len(group), kind=texts.kind_of(kind), heights=told, source=w[source]))


def _heights(known: list[float]) -> str:
    w = texts.words()["obstacles"]
    if not known:
        return str(w["unknown"])
    if max(known) < texts.LEAST_HEIGHT:
        return str(w["level"])
    ends = dict.fromkeys(texts.number(height) for height in (min(known), max(known)))
    return f"{'–'.join(ends)} m"
