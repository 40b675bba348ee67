"""Tables of sectors."""

from collections.abc import Mapping
from typing import Any

from api.reports.text import plain
from api.terrain.report.blocks import Content, table
from api.terrain.report.texts import value, words

Answer = Mapping[str, Any]

# Stretches that a page has room for; the answer has all of them.
_MOST = 24


def sectors(answer: Answer, caption: str, every: int = 1) -> Content:
    """Return the table of the sectors, or of every so many of them."""
    w, windy = words()["sectors"], answer["v_b0_ms"] is not None
    head = [*w["head"], *(w["wind_head"] if windy else []), w["mark_head"]]
    return table(caption, head, [_row(one, windy) for one in answer["sektorer"][::every]], "sectors", shown=False)


def _row(one: Mapping[str, Any], windy: bool) -> list[str]:
    w, form, wind = words(), one["terrengform"], one["vind"] or {}
    category = value(one["kategori"])
    if one["kategori_begrunnelse"]:
        category = w["sectors"]["override"].format(own=value(one["kategori_beregnet"]), given=category)
    keys = ["c_r", "I_v", "c_e", *(["v_m_ms", "q_p_pa"] if windy else [])]
    return [
        str(one["sektor"]), value(one["retning_deg"]), category,
        value(one["overgang"]["andel_pct"]), value(one["overgang"]["avstand_m"]), w["forms"][form["form"]],
        *(value(form[name]) for name in ("H_m", "L_H_m", "L_d_m", "x_m", "c_o")),
        *(value(wind.get(key)) for key in keys), _marks(one),
    ]  # fmt: skip


def _marks(one: Mapping[str, Any]) -> str:
    form = one["terrengform"]
    marks = {
        "O": one["kategori_begrunnelse"] is not None or one["terrengform_begrunnelse"] is not None,
        "B": one["bekreftet"],
        "U": not one["sikkerhet"]["sikker"],
        "L": form["le"],
        "K": not form["isolert"] and form["c_o"] > 1,
        "V": not form["teller"] and form["c_o"] > 1,
    }
    return "".join(mark for mark, holds in marks.items() if holds)


def rings_of(sector: Mapping[str, Any]) -> Content:
    """Return the land cover of a sector by rings."""
    w = words()["steps"]
    rows = []
    for ring in sector["ringer"]:
        name = w["ring"].format(fra=ring["fra_m"] // 1000, til=ring["til_m"] // 1000)
        built = value(ring["bygg_pct"]), value(ring["bygg_hoyde_m"])
        rows.append([name, *(value(share) for share in ring["andel_pct"].values()), *built])
    return table(w["rings"], w["rings_head"], rows, "numbers")


def profile_of(answer: Answer, sector: Mapping[str, Any]) -> Content:
    """Return the commonest land cover of a sector, outward."""
    w, kinds = words()["steps"], words()["kinds"]
    rows = [[value(part["fra_m"]), value(part["til_m"]), kinds[part["klasse"]],
             value(answer["klasser"].get(part["klasse"]))] for part in sector["profil"]]  # fmt: skip
    caption = w["profile"] if len(rows) <= _MOST else w["profile_cut"].format(vist=_MOST, antall=len(rows))
    return table(caption, w["profile_head"], rows[:_MOST], "stretches")


def overrides(answer: Answer) -> list[Content]:
    """Return the tables of categories and forms that the designer gave."""
    w, forms, found = words()["overrides"], words()["forms"], []
    rows = [[str(one["sektor"]), value(one["kategori_beregnet"]), value(one["kategori"]),
             plain(one["kategori_begrunnelse"])]
            for one in answer["sektorer"] if one["kategori_begrunnelse"] is not None]  # fmt: skip
    if rows:
        found.append(table(w["categories"], w["categories_head"], rows, "given"))
    rows = [[str(one["sektor"]), value(one["terrengform_beregnet"]["c_o"]), forms[one["terrengform"]["form"]],
             value(one["terrengform"]["c_o"]), plain(one["terrengform_begrunnelse"])]
            for one in answer["sektorer"] if one["terrengform_begrunnelse"] is not None]  # fmt: skip
    if rows:
        found.append(table(w["forms"], w["forms_head"], rows, "forms"))
    return found


def unverified(answer: Answer) -> Content | None:
    """Return the table of changes of roughness; None where none were asked for, or there are none."""
    w = words()["unverified"]
    names = ("fra", "til", "x_B_km", "c_S", "v_m_ms", "q_p_pa")
    rows = [[str(one["sektor"]), *(value(one["ubekreftet"][name]) for name in names)]
            for one in answer["sektorer"] if one.get("ubekreftet")]  # fmt: skip
    return table(w["caption"], w["head"], rows, "numbers") if rows else None
