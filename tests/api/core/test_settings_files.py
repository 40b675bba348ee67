"""What operators write wrongly is said in one line, in our words."""

from pathlib import Path

import pytest

from api.access.plans import read_plans
from api.core.settings import PLANS, SITES, SettingsError, read_toml
from api.forecast.place import Sites

GOOD = PLANS.read_text(encoding="utf-8")


def fault(tmp_path: Path, content: bytes) -> str:
    """Return what is said of a file of plans behind its name, in one line."""
    file = tmp_path / "plans.toml"
    file.write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        read_plans(file)
    named, _, text = str(refused.value).partition(": ")
    assert (named, "\n" in text) == (str(file), False)
    return text


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("requests_per_day = 24\n", "", "The field anonymous.requests_per_day is missing."),
        ("= 24\n", "= -1\n", "The field anonymous.requests_per_day must be at least 0."),
        ("= 24\n", "= 2.5\n", "The field anonymous.requests_per_day must be a whole number."),
        ("kwp_per_plant = 150", "kwp_per_plant = 0", "The field plans.basic.kwp_per_plant must be greater than 0."),
        ('tier = "free"', "tier = 1", "The field anonymous.tier must be text."),
        ("rights = []", "rights = 1", "The field anonymous.rights must be a list."),
        ("rights = []", "rights = ['all']", "The field anonymous.rights[0] must be one of: daily, extended."),
        ("[tmy] ", "[tm] ", "The field tmy is missing. The field tm is not known."),
        ("[plans.free]", "[plans.gratis]", "the plan free is missing, which registration gives"),
    ],
)
def test_a_plan_that_is_wrong(tmp_path: Path, old: str, new: str, text: str) -> None:
    assert old in GOOD
    assert fault(tmp_path, GOOD.replace(old, new, 1).encode()) == text


def test_a_file_that_is_none(tmp_path: Path) -> None:
    assert fault(tmp_path, b"\xff") == "is not text in UTF-8"
    assert fault(tmp_path, b"[anonymous").startswith("is not TOML: ")
    assert "The field plans must be an object." in fault(tmp_path, b"plans = 3")


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read: No such file"):
        read_plans(tmp_path / "none.toml")


def test_a_site_that_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_text(SITES.read_text(encoding="utf-8").replace("lat = 59.958", "lat = 89"), encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        read_toml(file, Sites)
    assert str(refused.value) == f"{file}: The field jegerveien.lat must be at most 72."
