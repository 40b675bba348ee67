"""Browsers may ask beforehand whether they may."""

from tests.api.conftest import Api


async def test_preflight_of_every_path(api: Api) -> None:
    methods: dict[str, set[str]] = {}
    for route in api.app.router.routes():
        assert route.resource is not None
        if route.method != "*":  # which is answered 405
            methods.setdefault(route.resource.canonical, set()).add(route.method)
    assert methods["/api/forecast"] >= {"GET", "HEAD", "OPTIONS"}
    for path, allowed_methods in methods.items():
        asked = await api.ask(
            path,
            "OPTIONS",
            headers={
                "Origin": "https://example.org",
                "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Headers": "x-api-key",
            },
        )
        assert (asked.status, asked.text) == (204, "")
        assert asked.headers["Access-Control-Allow-Methods"] == asked.headers["Allow"]
        assert asked.headers["Allow"] == ", ".join(sorted(allowed_methods))
        allowed = set(asked.headers["Access-Control-Allow-Headers"].split(", "))
        assert allowed == {"X-API-Key", "Authorization", "Content-Type", "If-None-Match", "X-Anlegg-Beta"}
        assert int(asked.headers["Access-Control-Max-Age"]) > 0


async def test_preflight_of_an_unknown_path(api: Api) -> None:
    assert (await api.ask("/nowhere", "OPTIONS")).status == 404
