"""What operators write wrongly is said in one line, in our words."""

from pathlib import Path

import pytest

from api.access.plans import PlansError, read_plans
from api.forecast.sites import SitesError, read_sites
from api.settings import PLANS, SITES

GOOD = PLANS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("requests_per_day = 24\n", "", "anonymous.requests_per_day: is missing"),
        ("requests_per_day = 24\n", "requests_per_day = -1\n", "anonymous.requests_per_day: expected at least 0"),
        ("= 24\n", "= 2.5\n", "anonymous.requests_per_day: expected a whole number"),
        ("= 24\n", "= 'many'\n", "anonymous.requests_per_day: expected a whole number"),
        ("kwp_per_plant = 150", "kwp_per_plant = 0", "plans.basic.kwp_per_plant: expected a number above 0"),
        ("kwp_per_plant = 150", "kwp_per_plant = 'x'", "plans.basic.kwp_per_plant: expected a number"),
        ("kwp_per_plant = 150", "kwp = 150", "plans.basic.kwp_per_plant: is missing; plans.basic.kwp: is not known"),
        ('tier = "free"', "tier = 1", "anonymous.tier: expected text in quotes"),
        ("rights = []\n\n[plans.free]", "rights = 1\n\n[plans.free]", "anonymous.rights: expected a list"),
        (
            "rights = []\n\n[plans.free]",
            "rights = ['all']\n\n[plans.free]",
            "anonymous.rights[0]: expected 'daily' or 'extended'",
        ),
        ("[tmy] ", "[tm] ", "tmy: is missing; tm: is not known"),
        ("[plans.free]", "[plans.gratis]", "the plan free is missing, which registration gives"),
    ],
)
def test_a_plan_that_is_wrong(tmp_path: Path, old: str, new: str, faults: str) -> None:
    file = tmp_path / "plans.toml"
    assert old in GOOD
    file.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(PlansError) as refused:
        read_plans(file)
    assert str(refused.value) == f"{file}: {faults}"


@pytest.mark.parametrize(
    ("content", "beginning"),
    [
        (b"\xff", "is not text in UTF-8"),
        (b"[anonymous", "is not TOML: "),
        (b"plans = 3", "anonymous: is missing; plans: expected a table; tmy: is missing"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes, beginning: str) -> None:
    file = tmp_path / "plans.toml"
    file.write_bytes(content)
    with pytest.raises(PlansError) as refused:
        read_plans(file)
    assert str(refused.value).startswith(f"{file}: {beginning}")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(PlansError, match=r"none\.toml: cannot be read: No such file"):
        read_plans(tmp_path / "none.toml")


def test_a_site_that_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text(SITES.read_text(encoding="utf-8").replace("lat = 59.958", "lat = 89"), encoding="utf-8")
    with pytest.raises(SitesError) as refused:
        read_sites(file)
    assert str(refused.value) == f"{file}: jegerveien.lat: expected at most 72"
