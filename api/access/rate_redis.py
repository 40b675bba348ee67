"""Rate limits in Redis."""

from collections.abc import Sequence

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from api.access.rate_store import PATIENCE_S, StoreAway, Taken, Window

_SCRIPT = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local wait = 0
for i, key in ipairs(KEYS) do
    local moment = redis.call('LINDEX', key, ARGV[2 * i - 1] - 1)
    if moment then
        wait = math.max(wait, moment + ARGV[2 * i] - now)
    end
end
if wait == 0 then
    for i, key in ipairs(KEYS) do
        redis.call('LPUSH', key, string.format('%.6f', now))
        redis.call('LTRIM', key, 0, ARGV[2 * i - 1] - 1)
        redis.call('EXPIRE', key, ARGV[2 * i] + 1)
    end
end
local told = {string.format('%.6f', wait)}
for i, key in ipairs(KEYS) do
    local inside = 0
    for _, moment in ipairs(redis.call('LRANGE', key, 0, ARGV[2 * i - 1] - 1)) do
        if moment + ARGV[2 * i] <= now then
            break
        end
        inside = inside + 1
    end
    told[i + 1] = ARGV[2 * i - 1] - inside
end
return told
"""


class RedisStore:
    """A Redis server.

    Parameters
    ----------
    url : str
        `redis://...`

    Raises
    ------
    ValueError
        It is no such address.
    """

    def __init__(self, url: str) -> None:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=32,
            timeout=PATIENCE_S,
            socket_timeout=PATIENCE_S,
            socket_connect_timeout=PATIENCE_S,
            # A connection that a restart of the server broke is made anew; what timed out may have been counted.
            retry=Retry(NoBackoff(), 1, (RedisConnectionError,)),
        )
        self._client = Redis.from_pool(pool)
        self._script = self._client.register_script(_SCRIPT)

    async def acquire(self, windows: Sequence[Window]) -> Taken:
        """Take a place in every window, or in none."""
        keys = [f"solflis:rate:{window.key}" for window in windows]
        arguments = [number for window in windows for number in (window.amount, window.seconds)]
        try:
            wait, *left = await self._script(keys=keys, args=arguments)
            return Taken(float(wait), tuple(left))
        except (RedisError, OSError) as error:
            raise StoreAway(f"Redis: {error}") from error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()
