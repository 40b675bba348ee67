"""Routes that take a key and the access code of an agreement."""

from aiohttp import web

from api.access import keys, partners
from api.access.gate import Gate
from api.access.required import Access
from api.core.body import Body
from api.core.routing import Route
from api.terrain.schemas import EXAMPLE, TerrainRequest
from tests.api.conftest import Api, MovableClock, Start

PATH = "/pilot"


async def account(request: web.BaseRequest, _: TerrainRequest) -> web.Response:
    """The account of the caller."""
    return web.json_response(Gate.account_of(request))


PILOT = Route(
    "POST",
    PATH,
    account,
    body=Body(TerrainRequest, EXAMPLE),
    access=Access(keyed=True, key_required=True, agreement="anlegg"),
)


async def issued(api: Api, name: str) -> str:
    database, secret = api.app.resources.database, api.app.resources.secret
    return await keys.issue(database.engine, secret, f"{name}@example.com", "free", MovableClock().now())


async def code_of(api: Api, name: str, purpose: partners.Purpose) -> str:
    database, secret = api.app.resources.database, api.app.resources.secret
    return await partners.add(database.engine, secret, name, MovableClock().now(), purpose)


async def test_key_then_code_are_asked_for_before_the_body_is_read(start: Start, database_url: str) -> None:
    api = await start(access="keys", more_routes=(PILOT,), database=database_url)
    key, code = await issued(api, "kari"), await code_of(api, "Kari", "anlegg")
    roof = await code_of(api, "Kari", "tak")
    unreadable = {"method": "POST", "data": b"{", "path": PATH}
    json = {"Content-Type": "application/json"}
    for headers, status, expected in (
        ({}, 401, "API_KEY_REQUIRED"),
        ({"X-Anlegg-Beta": code}, 401, "API_KEY_REQUIRED"),
        ({"X-API-Key": "sk_live_x", "X-Anlegg-Beta": code}, 401, "UNAUTHORIZED"),
        ({"X-API-Key": key}, 403, "BETA"),
        ({"X-API-Key": key, "X-Anlegg-Beta": ""}, 403, "BETA"),
        ({"X-API-Key": key, "X-Anlegg-Beta": "wrong"}, 403, "BETA"),
        ({"X-API-Key": key, "X-Anlegg-Beta": roof}, 403, "BETA"),
        ({"X-API-Key": key, "X-Anlegg-Beta": code}, 400, "INVALID_INPUT"),
    ):
        refused = await api.ask(**unreadable, headers=headers | json)
        assert (refused.status, refused.json["code"]) == (status, expected), headers
    unknown = await api.ask(**unreadable, headers={"X-API-Key": "sk_live_x"})
    assert unknown.json["error"] == "Invalid API key"
    for way in ({"X-API-Key": key}, {"Authorization": f"Bearer {key}"}):
        good = await api.ask(PATH, "POST", json=EXAMPLE, headers={**way, "X-Anlegg-Beta": code})
        assert (good.status, good.json) == (200, 1)
    other = await issued(api, "ola")
    second = await api.ask(PATH, "POST", json=EXAMPLE, headers={"X-API-Key": other, "X-Anlegg-Beta": code})
    assert second.json == 2


async def test_a_code_that_is_revoked_opens_nothing(start: Start) -> None:
    api = await start(access="keys", more_routes=(PILOT,))
    key, code = await issued(api, "kari"), await code_of(api, "Kari", "anlegg")
    headers = {"X-API-Key": key, "X-Anlegg-Beta": code}
    assert (await api.ask(PATH, "POST", json=EXAMPLE, headers=headers)).status == 200
    await partners.revoke(api.app.resources.database.engine, "Kari", MovableClock().now(), "anlegg")
    assert (await api.ask(PATH, "POST", json=EXAMPLE, headers=headers)).status == 403


async def test_an_open_service_asks_for_neither(start: Start) -> None:
    api = await start(more_routes=(PILOT,))
    asked = await api.ask(PATH, "POST", json=EXAMPLE)
    assert (asked.status, asked.json) == (200, 0)
