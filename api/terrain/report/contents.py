"""All that stands in the report, as both templates take it: chapters of blocks."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from api.reports.text import plain
from api.terrain.report import basis, maps, profiles, rose, steps
from api.terrain.report.blocks import Content, chapter, picture, table, text, texts
from api.terrain.report.tables import overrides, profile_of, rings_of, sectors, unverified
from api.terrain.report.texts import direction, value, words
from kernels.horizon.levels import Level
from kernels.terrain.polar import Site
from kernels.terrain.profiles import Lines
from kernels.terrain.roughness import Cover

Answer = Mapping[str, Any]


class Pictures(NamedTuple):
    """Land to draw.

    Parameters
    ----------
    lines : Lines
        Heights along the wind, of every sector.
    site : Site
    land : (Level, Cover) or None
        Heights and land cover, where maps are wanted.
    """

    lines: Lines
    site: Site
    land: tuple[Level, Cover] | None


def contents(answer: Answer, pictures: Pictures) -> Content:
    """Return the report: texts, numbers as text, drawings as SVG."""
    w = words()
    place = w["place"].format(lat=value(answer["lat"]), lon=value(answer["lon"]))
    under = w["under_title"].format(
        place=place, moh=value(answer["terreng_moh"]), z=value(answer["hoyde_m"]), standard=answer["standard"]
    )
    chapters = [
        _twelve(answer),
        _overrides(answer),
        _rose(answer),
        _sectors(answer),
        _steps(answer, pictures),
        _profiles(answer, pictures),
        _maps(answer, pictures),
        _unverified(answer),
        basis.chapter_of(answer),
    ]
    return {
        "title": w["title"],
        "document_title": w["document_title"].format(place=place),
        "under_title": under,
        "foot": f"Solflis · {place}",
        "page": w["page"],
        "skip": w["skip"],
        "simulated": w["simulated"] if answer["data_origin"] == "simulated" else None,
        "result": _result(answer),
        "chapters": [one for one in chapters if one],
    }


def _result(answer: Answer) -> Content:
    w, result = words()["result"], answer["resultat"]
    rows = [[label, value(result[key]), unit] for label, key, unit in w["rows"]]
    site = [[label, value(answer[key]), unit] for label, key, unit in w["site_rows"]]
    rows += [[w["counts"].format(name=name), value(count), ""] for name, count in result["kategorier"].items()]
    return {
        "heading": w["heading"],
        "project": [[label, plain(answer[key])] for label, key in w["project_rows"] if answer[key]],
        "big": value(result["c_o_maks"]),
        "sentence": _largest(answer),
        "table": table(w["heading"], w["head"], rows, "facts", shown=False),
        "site": table(w["site_heading"], w["head"], site, "facts", shown=False),
        "warnings_heading": w["warnings"],
        "warnings": [plain(one["tekst"]) for one in answer["advarsler"]],
    }


def _largest(answer: Answer) -> str:
    """Say where c_o is largest: several sectors may share it, and on flat ground all do."""
    w, largest = words()["result"], answer["resultat"]["c_o_maks"]
    sector = answer["sektorer"][(answer["resultat"]["c_o_maks_sektor"] or 1) - 1]
    same = sum(one["terrengform"]["c_o"] == largest for one in answer["sektorer"])
    sentence = w["flat" if largest == 1 else "largest" if same == 1 else "largest_of_several"]
    return str(sentence.format(sektor=sector["sektor"], retning=direction(sector["retning_deg"]), antall=same))


def _twelve(answer: Answer) -> Content:
    w = words()["directions"]
    twelve = sectors(answer, w["table"], profiles.EVERY)
    return chapter(w["table"], twelve, text(words()["sectors"]["marks"], "small"), page=False)


def _rose(answer: Answer) -> Content:
    w, counts = words()["directions"], answer["resultat"]["kategorier"]
    summary = ", ".join(f"{name}: {count}" for name, count in counts.items())
    drawn = rose.draw(answer["sektorer"], answer["resultat"]["dimensjonerende_sektor"])
    return chapter(w["heading"], picture(drawn, w["rose_alt"].format(summary=summary), w["rose_caption"]))


def _sectors(answer: Answer) -> Content:
    w = words()["sectors"]
    return chapter(w["heading"], text(f"{w['note']} {w['marks']}", "small"), sectors(answer, w["caption"]))


def _governing(answer: Answer) -> Mapping[str, Any]:
    number = answer["resultat"]["dimensjonerende_sektor"] or answer["resultat"]["c_o_maks_sektor"] or 1
    found: Mapping[str, Any] = answer["sektorer"][number - 1]
    return found


def _steps(answer: Answer, pictures: Pictures) -> Content:
    w, sector = words()["steps"], _governing(answer)
    rows, of_form = steps.rows(answer, sector), sector["terrengform"]["s"] is not None
    rounded = f"{w['rounded_form']} {w['rounded']}" if of_form else w["rounded"]
    return chapter(
        w["heading"].format(sektor=sector["sektor"], retning=direction(sector["retning_deg"])),
        texts(_reasons(answer, sector)),
        table(w["caption"], w["head"], rows, "steps") if rows else None,
        text(rounded, "small") if rows else None,
        rings_of(sector),
        profile_of(answer, sector),
        _large(sector, pictures),
    )


def _reasons(answer: Answer, sector: Mapping[str, Any]) -> list[str]:
    """Say why the sector has its category and form."""
    w, change, sure, form = words()["steps"], sector["overgang"], sector["sikkerhet"], sector["terrengform"]
    rule = w[f"rule_{change['regel']}"].format(
        kategori=sector["kategori_beregnet"], andel=value(change["andel_pct"]), grense=value(change["grense_m"]),
        vanligst=value(change["vanligst_1km"]),
    )  # fmt: skip
    found = [w["which"]] if answer["resultat"]["dimensjonerende_sektor"] else []
    found.append(rule)
    if sure["grunner"]:
        found.append(w["unsure"].format(grunner=", ".join(words()["reasons"][one] for one in sure["grunner"])))
    elif not sector["kategori_begrunnelse"]:
        certainty = w["sure" if sure["margin_pct"] is not None else "sure_without_margin"]
        found.append(certainty.format(margin=value(sure["margin_pct"])))
    if sector["kategori_begrunnelse"]:
        found.append(w["overridden"].format(beregnet=value(sector["kategori_beregnet"])))
    if not form["isolert"] and form["c_o"] > 1:
        found.append(w["not_isolated"])
    if form["le"]:
        found.append(w["lee"])
    if sector["terrengform_begrunnelse"] is not None:
        found.append(w["given"].format(c_o=value(form["c_o"])))
    elif form["s"] is None:
        found.append(w["no_form"])
    return found


def _large(sector: Mapping[str, Any], pictures: Pictures) -> Content:
    w, form = words()["profiles"], sector["terrengform"]
    drawn, times = profiles.large(sector, pictures.lines)
    caption = w["large"].format(
        sektor=sector["sektor"], retning=direction(sector["retning_deg"]), grader=value(sector["retning_deg"]),
        times=value(round(times, 1)),
    )  # fmt: skip
    if sector["terrengform_begrunnelse"] is not None:
        caption += " " + w["not_drawn"]
    elif form["s"] is not None:
        caption += " " + w["drawn"]
    alt = w["large_alt"].format(
        sektor=sector["sektor"], form=words()["forms"][form["form"]], H=value(form["H_m"]), c_o=value(form["c_o"])
    )
    return picture(drawn, alt, caption)


def _profiles(answer: Answer, pictures: Pictures) -> Content:
    w = words()["profiles"]
    return chapter(
        w["heading"], picture(profiles.twelve(answer["sektorer"], pictures.lines), w["small_alt"], w["small"])
    )


def _maps(answer: Answer, pictures: Pictures) -> Content | None:
    if pictures.land is None:
        return None
    w, (level, cover) = words()["maps"], pictures.land
    return chapter(
        w["heading"],
        picture(maps.land_cover(cover, pictures.site), w["cover_alt"], w["cover"]),
        picture(maps.relief(level, pictures.site, _governing(answer)["sektor"]), w["relief_alt"], w["relief"]),
    )


def _overrides(answer: Answer) -> Content | None:
    w, tables = words()["overrides"], overrides(answer)
    confirmed = [str(one["sektor"]) for one in answer["sektorer"] if one["bekreftet"]]
    if not tables and not confirmed:
        return None
    who = answer["prosjekterende"]
    told = [w["who"].format(who=plain(who)) if who else w["nobody"]]
    told += [w["confirmed"].format(sectors=", ".join(confirmed))] if confirmed else []
    return chapter(w["heading"], *map(text, told), *tables, page=False)


def _unverified(answer: Answer) -> Content | None:
    w, found = words()["unverified"], unverified(answer)
    return None if found is None else chapter(w["heading"], text(w["text"], "note"), found)
