"""The table of installed power: the example says what it is, and a table that is wrong is refused in one line."""

from pathlib import Path

import pytest

from api.core.settings import INSTALLED_POWER, Settings, SettingsError
from api.production.installed import read_installed
from tests.api.conftest import Start
from tiles.products.county_now import COUNTIES

GOOD = INSTALLED_POWER.read_text(encoding="utf-8")


def test_the_example_says_that_it_is_one_and_sums_to_1000_mw() -> None:
    table = read_installed(INSTALLED_POWER)
    assert table.example
    assert "no statistics" in table.source
    assert "NO STATISTICS" in GOOD
    assert table.mw == 1000
    assert {int(number): one.name for number, one in table.counties.items()} == COUNTIES


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('03 = { name = "Oslo", mw = 60 }\n', "", "the counties 03 are missing; write mw = 0 where nothing stands"),
        ("03 = {", "3 = {", "the counties 03 are missing; write mw = 0 where nothing stands"),
        (
            "[counties]\n",
            '[counties]\n54 = { name = "Troms og Finnmark", mw = 1 }\n',
            "there is no county 54; there are 03",
        ),
        ("mw = 60 }", "mw = -1 }", "The field counties.03.mw must be at least 0."),
        ("mw = 60 }", "mw = 1000000 }", "The field counties.03.mw must be at most 100000."),
        ("mw = 60 }", 'mw = "much" }', "The field counties.03.mw must be a number"),
        ("mw = 60 }", "mw = nan }", "The field counties.03.mw must be"),
        ("mw = 60 }", "kw = 60 }", "The field counties.03.mw is missing. The field counties.03.kw is not known."),
        ('source = "example of Solflis, no statistics"\n', "", "The field source is missing."),
        ('source = "example of Solflis, no statistics"', 'source = ""', "The field source must"),
        ("date = 2026-01-01\n", "", "The field date is missing."),
        ("date = 2026-01-01", 'date = "soon"', "The field date"),
        ("[counties]", "[county]", "The field counties is missing. The field county is not known."),
        ("[counties]", "[counties", "is not TOML: "),
    ],
)
def test_a_table_that_is_wrong_is_refused(tmp_path: Path, old: str, new: str, text: str) -> None:
    assert old in GOOD
    file = tmp_path / "own.toml"
    file.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        read_installed(file)
    assert str(refused.value).startswith(f"{file}: {text}"), str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_table_without_any_power_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    rows = "\n".join(f'{number:02d} = {{ name = "{name}", mw = 0 }}' for number, name in COUNTIES.items())
    file.write_text(f'source = "nobody"\ndate = 2026-01-01\n[counties]\n{rows}\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="no county has any power installed"):
        read_installed(file)


async def test_a_worker_does_not_start_with_a_file_that_is_missing(start: Start, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read: No such file"):
        await start(installed_power=tmp_path / "none.toml")


def test_the_setting_names_the_file() -> None:
    assert Settings.from_environment({}).installed_power == INSTALLED_POWER
    named = Settings.from_environment({"SOLFLIS_INSTALLED_POWER": "/etc/solflis/installed.toml"})
    assert named.installed_power == Path("/etc/solflis/installed.toml")
