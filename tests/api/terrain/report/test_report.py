"""The report: every number of the answer, the same bytes for the same question, for readers of all kinds."""

import math
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from api.reports import typesetting
from api.terrain.report.render import report
from tests.api.terrain.report import made

HOSTILE = '#panic("x") $x^2$ *b* `c` @ref <lbl> </text><script>alert(1)</script> {{ 7 * 7 }} &amp; \\ "'
OVERRIDES = {
    "sektorer": [{"sektor": 7, "kategori": "I", "begrunnelse": HOSTILE}],
    "terrengform": [
        {"sektor": 9, "form": "escarpment", "H_m": 40, "L_H_m": 60, "x_m": 20, "begrunnelse": "Målt i felt."},
        {"sektor": 11, "c_o": 1.25, "begrunnelse": "x" * 200},
    ],
}
FULL = {"v_b0": 22.5, "kart": True, "ubekreftet": True, "overstyring": OVERRIDES, "bekreftelser": [1, 3]}
FULL |= {"prosjekt": "Hyttefelt \N{FISH} Åsen", "prosjekterende": HOSTILE[:100]}


@cache
def usual() -> tuple[dict[str, Any], bytes, str]:
    answer, pictures = made.site(**FULL)
    pdf, html = report(answer, pictures)
    return answer, pdf, html.decode()


@cache
def bare() -> bytes:
    """The PDF of a request of nothing more than a place."""
    return report(*made.site())[0]


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@cache
def text_of(pdf: bytes) -> str:
    told = subprocess.run([program("pdftotext"), "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
    return told.stdout.decode()


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self._in: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        self._in.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._in and self._in.pop() != tag:
            pass
        if tag in ("td", "th"):
            self.rows[-1].append(self.cells[-1])

    def handle_data(self, data: str) -> None:
        if "style" not in self._in:
            self.text += data
        if self._in and self._in[-1] in ("td", "th"):
            self.cells[-1] += data


def numbers(value: Any) -> set[float]:
    """All numbers of a part of the answer."""
    if isinstance(value, bool) or value is None:
        return set()
    if isinstance(value, int | float):
        return {float(value)}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {number for part in parts for number in numbers(part)}


def printed(text: str) -> set[float]:
    return {float(one.replace(",", ".")) for one in re.findall(r"(?<![\d,])-?\d+(?:,\d+)?(?![\d,])", text)}


@pytest.mark.parametrize("form", ["pdf", "html"])
def test_every_number_of_sectors_and_result_is_printed_as_json_has_it(form: str) -> None:
    answer, pdf, html = usual()
    found = printed(text_of(pdf) if form == "pdf" else " ".join(Page(html).cells))
    wanted = numbers(answer["resultat"])
    for sector in answer["sektorer"]:
        own = sector["terrengform"]
        wanted |= numbers([own[name] for name in ("H_m", "L_H_m", "L_d_m", "x_m", "c_o")]) | numbers(sector["vind"])
        wanted |= numbers(sector["overgang"]) - {1000.0, 2000.0} | numbers(sector.get("ubekreftet"))
    governing = answer["sektorer"][answer["resultat"]["dimensjonerende_sektor"] - 1]
    wanted |= numbers([governing["ringer"], governing["terrengform"], governing["z0_m"], governing["k_r"]])
    # written as 0-1 km, 1-2 km ...
    wanted -= {3000.0, 10_000.0} if form == "pdf" else set()
    assert wanted - found - {1000.0, 2000.0, 3000.0, 10_000.0} == set()


def test_pdf_and_html_hold_the_same_tables() -> None:
    _, pdf, html = usual()
    numbers = {cell.strip() for cell in Page(html).cells if re.fullmatch(r"-?\d+,\d+", cell.strip())}
    assert len(numbers) > 300
    assert numbers <= set(text_of(pdf).split())


def test_the_same_arguments_give_the_same_bytes() -> None:
    answer, pictures = made.site(**FULL)
    assert report(answer, pictures) == (usual()[1], usual()[2].encode())


@pytest.mark.parametrize(
    ("made_pdf", "least", "most"),
    [(bare, 6, 8), (lambda: report(*made.site(kart=True, v_b0=20))[0], 6, 8), (lambda: usual()[1], 6, 10)],
    ids=["bare", "with maps", "full"],
)
def test_the_pdf_is_whole_and_has_six_to_ten_pages_and_at_most_a_megabyte(
    made_pdf: Callable[[], bytes], least: int, most: int, tmp_path: Path
) -> None:
    pdf = made_pdf()
    assert least <= len(re.findall(rb"/Type/Page\b", pdf)) <= most
    assert len(pdf) <= 1_000_000
    assert b"pdfuaid" in pdf
    (file := tmp_path / "report.pdf").write_bytes(pdf)
    subprocess.run([program("qpdf"), "--check", file], capture_output=True, check=True)


def test_what_people_write_is_text_and_never_markup() -> None:
    _, pdf, html = usual()
    assert "<script" not in html
    assert "{{ 7 * 7 }}" in Page(html).text
    assert HOSTILE in Page(html).text.replace("\N{ZERO WIDTH SPACE}", "")
    assert '#panic("x") $x^2$ *b*' in " ".join(text_of(pdf).split())
    assert "Hyttefelt" in Page(html).text


def test_the_page_fetches_nothing_and_is_in_order_for_screen_readers() -> None:
    page = Page(usual()[2])
    attributes = [one for _, its in page.tags for one in its.items()]
    assert not [
        v for name, v in attributes if name in ("src", "href", "action") and not str(v).startswith(("#", "data:"))
    ]
    assert ("html", {"lang": "nb"}) in page.tags
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    names = [tag for tag, _ in page.tags]
    assert names.count("table") == names.count("caption")
    ids = {its["id"] for tag, its in page.tags if tag == "title" and "id" in its}
    assert {its["aria-labelledby"] for tag, its in page.tags if tag == "svg"} == ids


def test_simulated_data_are_marked_on_every_page_and_live_data_nowhere() -> None:
    text = text_of(usual()[1])
    assert all("SIMULERT" in page for page in text.split("\f")[:-1])
    live = report(*made.site(made.live(made.land())))
    assert "SIMULERT" not in text_of(live[0])
    assert "SIMULERT" not in live[1].decode()


def test_flat_land_says_so() -> None:
    text = " ".join(text_of(report(*made.site(made.land(flat=True)))[0]).split())
    assert "Ingen helning brattere enn 5 % innenfor 2 km: co = 1." in text
    assert "ingen sektor har terrengformfaktor over 1" in text


def test_the_wind_of_the_governing_sector_can_be_checked_by_hand() -> None:
    answer, pdf, _ = usual()
    text = text_of(pdf)
    sector = answer["sektorer"][answer["resultat"]["dimensjonerende_sektor"] - 1]
    c_o, wind = sector["terrengform"]["c_o"], sector["vind"]
    comma = {name: f"{value}".replace(".", ",") for name, value in {**wind, "c_o": c_o}.items()}
    assert f"(1 + 7 · {comma['I_v']}) · ½ · 1,25 · {comma['v_m_ms']}²" in text
    q_p = (1 + 7 * wind["I_v"]) * 0.5 * 1.25 * wind["v_m_ms"] ** 2
    assert q_p == pytest.approx(wind["q_p_pa"], rel=1e-3)
    assert wind["c_r"] * c_o * 22.5 == pytest.approx(wind["v_m_ms"], abs=0.006)


CRESTS = {
    "before": ({"form": "ridge", "H_m": 60, "L_H_m": 150, "L_d_m": 500, "x_m": -120}, "(A.4)", "(A.2)"),
    "behind a hill": ({"form": "hill", "H_m": 60, "L_H_m": 150, "L_d_m": 500, "x_m": 120}, "(A.11)", "(A.2)"),
    "behind an edge": ({"form": "escarpment", "H_m": 60, "L_H_m": 150, "x_m": 200}, "(A.7)", "(A.2)"),
    "near an edge": ({"form": "escarpment", "H_m": 60, "L_H_m": 150, "x_m": 12}, "A.3", "(A.2)"),
    "behind a steep edge": ({"form": "escarpment", "H_m": 60, "L_H_m": 60, "x_m": 100}, "(A.7)", "(A.3)"),
}


@pytest.mark.parametrize(("form", "of_s", "of_c_o"), CRESTS.values(), ids=CRESTS)
def test_each_printed_step_follows_from_its_printed_numbers(
    form: dict[str, Any], of_s: str, of_c_o: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typesetting, "pdf", lambda *_: b"")  # it shows the same as the page
    given = {"terrengform": [{"sektor": 37, "begrunnelse": "Målt i felt.", **form}]}
    answer, pictures = made.site(made.land(flat=True), v_b0=26, overstyring=given)
    page = Page(report(answer, pictures)[1].decode())
    steps = [row for row in page.rows if len(row) == 5 and re.match(r"\(|A\.|tabell", row[4])]
    clauses = {row[0]: row[4] for row in steps}
    assert (clauses["Plasseringsfaktor"], clauses["Terrengformfaktor"]) == (of_s, of_c_o)
    polynomials = [row for row in steps if row[0] in ("A", "B", "C", "Faktor på kanten")]
    assert len(polynomials) >= 2
    for _, formula, at, value, _ in polynomials:
        symbol, argument = at.split(" = ")
        powers = formula.split("=")[1].replace(symbol, f"·({argument})")
        assert by_hand(powers) == pytest.approx(by_hand(value), abs=3e-4)
    sums = [(numbers, value) for _, _, numbers, value, _ in steps if not re.search("[=;]", numbers)]
    assert len(sums) > 10
    for numbers, value in sums:
        printed = by_hand(value.split()[0])
        assert by_hand(numbers) == pytest.approx(printed, rel=1e-3, abs=3e-4)


def by_hand(numbers: str) -> float:
    """The value of numbers as a step prints them."""
    python = numbers.replace(",", ".").replace("·", "*").replace("−", "-").replace("½", "0.5")
    for power, sign in enumerate("²³⁴", 2):
        python = python.replace(sign, f"**{power}")
    python = re.sub(r"\bl[gn] ?\(?([\d./ ]+)\)?", lambda m: f"{'lg' if m[0][1] == 'g' else 'ln'}({m[1]})", python)
    return float(eval(python, {"exp": math.exp, "lg": math.log10, "ln": math.log}))


def test_c_s_is_labelled_unverified_and_only_there_when_wanted() -> None:
    assert "UBEKREFTET" in text_of(usual()[1])
    assert "UBEKREFTET" not in text_of(bare())
