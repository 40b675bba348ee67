"""Producers and licences of published data for the STAC catalogue, from provenance by the registry of sources."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pystac

from catalog.sources.registry import SIMULATED_LICENCE, SOURCES, Source

_ROLE = pystac.ProviderRole
_OURS = "CC-BY-4.0"


@dataclass(frozen=True)
class Credits:
    """Providers and licences of versions.

    Parameters
    ----------
    providers : list of pystac.Provider
        Producers first, Solflis last.
    licence : str
        SPDX identifier; `other` where several licences hold, or one without an identifier.
    links : list of pystac.Link
        To the texts of the licences.
    """

    providers: list[pystac.Provider]
    licence: str
    links: list[pystac.Link]


def credits_of(provenances: Iterable[Mapping[str, Any]]) -> Credits:
    """Return the credits of versions; simulated sources have no producer but Solflis.

    Parameters
    ----------
    provenances : iterable of mapping
        Of each version: `source`, `data_origin` and `sources`.
    """
    known: dict[str, Source] = {}
    others: dict[str, str] = {}
    for provenance in provenances:
        # a stitched or learned product lists our own products as its sources, and the upstream in `source` alone
        parts = str(provenance.get("source", "")).replace(",", "+").split("+")
        for one in [*provenance.get("sources", []), *({"name": name.strip()} for name in parts)]:
            if not _is_live(one, provenance):
                continue
            if one.get("name") in SOURCES:
                known[one["name"]] = SOURCES[one["name"]]
            elif one.get("attribution"):
                others[str(one["attribution"])] = str(one.get("licence", "not stated"))
    licences = {source.licence.spdx for source in known.values()} | ({"other"} if others else set())
    urls = dict.fromkeys(source.licence.url for source in known.values())
    return Credits(
        providers=_providers(known.values(), others),
        licence=_OURS if not licences else licences.pop() if len(licences) == 1 else "other",
        links=[pystac.Link("license", url) for url in urls],
    )


def _is_live(one: Mapping[str, Any], provenance: Mapping[str, Any]) -> bool:
    if "licence" in one:
        return bool(one["licence"] != SIMULATED_LICENCE)
    return bool(one.get("data_origin", provenance.get("data_origin")) == "live")


def _providers(known: Iterable[Source], others: Mapping[str, str]) -> list[pystac.Provider]:
    of_each: dict[Any, list[str]] = {}
    for source in known:
        of_each.setdefault(source.producer, []).append(f"{source.attribution} ({source.licence.name})")
    found = [
        pystac.Provider(producer.name, "; ".join(texts), [_ROLE.LICENSOR, _ROLE.PRODUCER], producer.url)
        for producer, texts in of_each.items()
    ]
    found += [pystac.Provider(name, f"{name} ({licence})", [_ROLE.PRODUCER]) for name, licence in others.items()]
    ours = [_ROLE.PROCESSOR, _ROLE.HOST] if found else [_ROLE.PRODUCER, _ROLE.LICENSOR, _ROLE.HOST]
    return [*found, pystac.Provider("Solflis", roles=ours)]
