"""What operators set."""

from pathlib import Path

import pytest

from api.core.settings import Settings, SettingsError


def test_settings() -> None:
    settings = Settings.from_environment({"SOLFLIS_STATE": "x", "SOLFLIS_STORE": "s3://bucket/tiles"})
    assert settings.state == Path("x").resolve()
    assert settings.store == "s3://bucket/tiles"
    assert Settings.from_environment({"SOLFLIS_STATE": "x"}).store == str(Path("x").resolve() / "tiles")
    assert Settings.from_environment({}).clock.is_real
    with pytest.raises(SettingsError, match="SOLFLIS_CLOCK"):
        Settings.from_environment({"SOLFLIS_CLOCK": "soon"})


def test_where_external_services_are_asked() -> None:
    assert Settings.from_environment({}).address("kartverket_wcs") == "https://wcs.geonorge.no/skwms1"
    ours = {"SOLFLIS_KARTVERKET_WCS_URL": "http://127.0.0.1:8082/service/"}
    assert Settings.from_environment(ours).address("kartverket_wcs") == "http://127.0.0.1:8082/service"
    with pytest.raises(SettingsError, match="SOLFLIS_KARTVERKET_WCS_URL"):
        Settings.from_environment({"SOLFLIS_KARTVERKET_WCS_URL": "./answers"})


def test_how_much_of_the_heights_is_kept() -> None:
    assert Settings.from_environment({}).heights_bytes == 2_000_000_000
    assert Settings.from_environment({"SOLFLIS_HEIGHTS_MB": "500"}).heights_bytes == 500_000_000
    for value in ("0", "-5", "much", "1e3", "2000000"):
        with pytest.raises(SettingsError, match="SOLFLIS_HEIGHTS_MB"):
            Settings.from_environment({"SOLFLIS_HEIGHTS_MB": value})


@pytest.mark.parametrize("url", ["https://solflis.no", "http://10.0.0.1:8080", "http://[::1]:80", "https://a.no/sol/"])
def test_where_callers_reach_it(url: str) -> None:
    assert Settings.from_environment({"SOLFLIS_BASE_URL": url}).base_url == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    ["solflis.no", "ftp://solflis.no", "javascript:alert(1)", "https://", "https:///sol", "https://me:pw@solflis.no",
     "https://solflis.no?a=b", "https://solflis.no#a", "https://solflis .no", "https://a.no:port", "//a.no"],
)  # fmt: skip
def test_where_nobody_reaches_it(url: str) -> None:
    with pytest.raises(SettingsError, match="SOLFLIS_BASE_URL"):
        Settings.from_environment({"SOLFLIS_BASE_URL": url})


def test_mails_to_people_need_an_address_for_their_links_and_a_sender() -> None:
    smtp = {"SOLFLIS_SMTP": "smtp://mail:25"}
    base, sender = {"SOLFLIS_BASE_URL": "https://solflis.no"}, {"SOLFLIS_MAIL_FROM": "post@solflis.no"}
    assert Settings.from_environment({**smtp, **base, **sender}).smtp == "smtp://mail:25"
    for given, missing in (({}, "SOLFLIS_BASE_URL and SOLFLIS_MAIL_FROM"), (base, "set SOLFLIS_MAIL_FROM"),
                           (sender, "set SOLFLIS_BASE_URL")):  # fmt: skip
        with pytest.raises(SettingsError, match=missing):
            Settings.from_environment({**smtp, **given})


def test_who_may_call_the_tool_server_and_how_long_it_waits() -> None:
    given = {"SOLFLIS_MCP_ORIGINS": "https://app.example.com, http://localhost:6274", "SOLFLIS_MCP_WAIT_S": "10"}
    settings = Settings.from_environment(given)
    assert settings.mcp_origins == {"https://app.example.com", "http://localhost:6274"}
    assert settings.mcp_wait_s == 10
    for name, value in (
        ("ORIGINS", "app.example.com"),
        ("ORIGINS", "https://app.example.com/"),
        ("ORIGINS", "*"),
        ("WAIT_S", "0"),
        ("WAIT_S", "300"),
        ("API", "127.0.0.1"),
    ):
        with pytest.raises(SettingsError, match=f"SOLFLIS_MCP_{name}"):
            Settings.from_environment({f"SOLFLIS_MCP_{name}": value})
