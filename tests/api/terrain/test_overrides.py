"""Overrides and confirmations by the designer."""

from typing import Any

import pytest

from api.terrain.report.render import report
from api.terrain.schemas import Terrain
from tests.api.terrain.report import made
from tests.kernels.terrain import plain

REASON = {"begrunnelse": "Sett i felt."}


def assessed(**body: Any) -> dict[str, Any]:
    return made.site(**body)[0]


def test_measures_of_an_override_count_as_its_form_has_them() -> None:
    given = {"H_m": 50, "L_H_m": 100, "L_d_m": 100, "x_m": 150, **REASON}
    forms = [{"sektor": 1, "form": "flat", "H_m": 50, "x_m": 0, **REASON}, {"sektor": 2, "form": "flat", **given},
             {"sektor": 3, "form": "escarpment", **given}, {"sektor": 4, "form": "valley", **REASON}]  # fmt: skip
    found = [one["terrengform"] for one in assessed(overstyring={"terrengform": forms})["sektorer"][:4]]
    behind_edge = pytest.approx(plain.c_o(50, 200, 1e9, 150, 10, cliff=True), abs=1e-4)
    assert [one["c_o"] for one in found] == [1, 1, behind_edge, 1]
    assert [one["L_d_m"] for one in found] == [None] * 4


def form_of(answer: dict[str, Any], sector: int) -> dict[str, Any]:
    found: dict[str, Any] = answer["sektorer"][sector - 1]["terrengform"]
    return found


def test_a_factor_of_the_designers_own_counts_as_it_is() -> None:
    before = assessed(v_b0=26)
    highest = before["resultat"]["c_o_maks_sektor"]
    given = {"sektor": highest, "c_o": 1.0625, "form": "ridge", **REASON}
    after = assessed(v_b0=26, overstyring={"terrengform": [given]})
    assert (form_of(after, highest)["form"], form_of(after, highest)["c_o"]) == ("ridge", 1.0625)
    wind = after["sektorer"][highest - 1]["vind"]
    category = ["0", "I", "II", "III", "IV"].index(after["sektorer"][highest - 1]["kategori"])
    assert wind["q_p_pa"] == pytest.approx(plain.wind(category, 26, 10, 1.0625)[2], rel=1e-3)
    rest = [one["terrengform"]["c_o"] for one in before["sektorer"] if one["sektor"] != highest]
    assert after["resultat"]["c_o_maks"] == max(rest)


def test_the_governing_sector_follows_an_override() -> None:
    before = assessed(v_b0=26)
    governing = before["resultat"]["dimensjonerende_sektor"]
    rough = {"sektor": governing, "kategori": "IV", **REASON}
    after = assessed(v_b0=26, overstyring={"sektorer": [rough]})
    of = {one["sektor"]: one["vind"]["q_p_pa"] for one in after["sektorer"]}
    assert after["resultat"]["dimensjonerende_sektor"] == max(of, key=lambda sector: of[sector]) != governing
    assert after["resultat"]["q_p_maks_pa"] == max(of.values())
    assert after["resultat"]["kategorier"]["IV"] == 1
    assert after["resultat"]["c_o_maks"] == before["resultat"]["c_o_maks"]


def test_extremes_are_answered_and_reported() -> None:
    steep = {"form": "hill", "H_m": 2500, "L_H_m": 0.1, "L_d_m": 0.1, "x_m": -10_000, **REASON}
    gentle = {"form": "ridge", "H_m": 1e-6, "L_H_m": 10_000, "L_d_m": 20_000, "x_m": 10_000, **REASON}
    forms = [steep | {"sektor": 1}, gentle | {"sektor": 2}, steep | {"sektor": 3, "x_m": 0}]
    forms += [{"sektor": 4, "form": "valley", **REASON}, {"sektor": 5, "form": "flat", "H_m": 50, **REASON}]
    every = [{"sektor": sector, "kategori": "0", **REASON} for sector in range(1, 73)]
    for z in (1e-6, 200):
        answer, pictures = made.site(hoyde_m=z, v_b0=60, overstyring={"sektorer": every, "terrengform": forms})
        Terrain.model_validate(answer)
        assert answer["resultat"]["kategorier"]["0"] == 72
        assert [form_of(answer, sector)["c_o"] for sector in (1, 2)] == [1, 1]
        assert report(answer, pictures)[0].startswith(b"%PDF-")


def test_confirmations_are_told_and_change_nothing_else() -> None:
    before, after = assessed(), assessed(bekreftelser=[9, 3, 3])
    assert [one["sektor"] for one in after["sektorer"] if one["bekreftet"]] == [3, 9]
    for one in after["sektorer"]:
        one["bekreftet"] = False
    assert after == before
