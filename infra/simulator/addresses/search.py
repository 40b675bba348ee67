"""Searching the invented registers: every word of the question is one of the name, its municipality or its county."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from infra.simulator.addresses.register import STREETS, House, NamedPlace, Town, houses, named_places, towns

# Of two words that are taken to be the same where misspellings are forgiven (difflib's ratio).
ALIKE = 0.75
_MOST_WORDS = 8
_PLAIN = str.maketrans({"æ": "ae", "ø": "o", "å": "a"})
_NUMBER = re.compile(r"(\d{1,3})([a-z]?)")
_POSTCODE = re.compile(r"\d{4}")

Likeness = Mapping[str, float]
"""How like the words of a question are to a name: a word that is like none of its words is absent."""


class FoundAddress(NamedTuple):
    """A house number of a street (its place in `STREETS`) of a town."""

    town: Town
    street: int
    house: House


def words_of(text: str) -> list[str]:
    """Return the words of a text without case and accents; `*` stays."""
    plain = unicodedata.normalize("NFC", text).casefold().translate(_PLAIN)
    return re.findall(r"[\w*]+", plain)


def find_places(text: str, *, fuzzy: bool) -> list[NamedPlace]:
    """Return the places that a text may mean, the likeliest first."""
    words = words_of(text)
    if not 0 < len(words) <= _MOST_WORDS:
        return []
    ranked = []
    around = {town: _likeness(words, f"{town.name} {town.county}", fuzzy=fuzzy) for town in towns()}
    for place in named_places():
        own = _likeness(words, place.name, fuzzy=fuzzy)
        best = [max(own.get(word, 0.0), around[place.town].get(word, 0.0)) for word in words]
        if own and all(best):
            unsaid = len(words_of(place.name)) - len(own)
            ranked.append((-sum(best) / len(best) + 0.01 * unsaid, place))
    return [place for _, place in sorted(ranked, key=lambda one: one[0])]


def find_addresses(text: str, *, fuzzy: bool, most: int) -> list[FoundAddress]:
    """Return the addresses that a text may mean, the likeliest first; without a number the first of each street."""
    words = [word for word in _joined(words_of(text)) if not _POSTCODE.fullmatch(word)]
    numbers = [word.upper() for word in words if _NUMBER.fullmatch(word)]
    words = [word for word in words if not _NUMBER.fullmatch(word)]
    if not 0 < len(words) <= _MOST_WORDS or len(numbers) > 1:
        return []
    found: list[FoundAddress] = []
    for town, street in _streets(words, fuzzy=fuzzy):
        for house in houses(town, street):
            if not numbers or house.text == numbers[0]:
                found.append(FoundAddress(town, street, house))
                if len(found) == most:
                    return found
    return found


def _streets(words: list[str], *, fuzzy: bool) -> Iterator[tuple[Town, int]]:
    """Yield towns and streets that together hold all words, the likeliest first."""
    streets = [_likeness(words, name, fuzzy=fuzzy) for name in STREETS]
    of_towns = [(town, _likeness(words, f"{town.name} {town.county}", fuzzy=fuzzy)) for town in towns()]
    is_street, is_town = any(streets), any(like for _, like in of_towns)
    ranked = []
    for town, in_town in of_towns:
        if is_town and not in_town:
            continue
        for k, in_street in enumerate(streets):
            if is_street and not in_street:
                continue
            best = [max(in_street.get(word, 0.0), in_town.get(word, 0.0)) for word in words]
            if all(best):
                ranked.append((-sum(best), town, k))
    for _, town, k in sorted(ranked, key=lambda one: one[0]):
        yield town, k


@cache
def _key(name: str) -> str:
    return " ".join(words_of(name))


def _likeness(words: list[str], name: str, *, fuzzy: bool) -> Likeness:
    own = _key(name).split()
    found = {word: max(_ratio(word, one, fuzzy=fuzzy) for one in own) for word in words}
    return {word: ratio for word, ratio in found.items() if ratio > 0}


def _ratio(asked: str, word: str, *, fuzzy: bool) -> float:
    if asked == word:
        return 1.0
    if asked.endswith("*"):
        return 0.9 if len(asked) > 1 and word.startswith(asked[:-1]) else 0.0
    if not fuzzy:
        return 0.0
    matcher = SequenceMatcher(None, asked, word, autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= ALIKE else 0.0


def _joined(words: list[str]) -> list[str]:
    """Return words with a letter put to the number before it: `5 b` is `5b`."""
    joined: list[str] = []
    for word in words:
        if joined and re.fullmatch("[a-e]", word) and re.fullmatch(r"\d{1,3}", joined[-1]):
            joined[-1] += word
        else:
            joined.append(word)
    return joined
