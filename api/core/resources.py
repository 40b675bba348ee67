"""Shared resources of the endpoint groups: made once in a worker, and handed to each group's `routes`."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

from api.access.callers import Clients
from api.access.gate import Gate
from api.access.ledger import Ledger
from api.access.plans import read_plans
from api.access.rates import Rates
from api.access.secret import load_secret
from api.core.cache import Cache
from api.core.code_version import code_version
from api.core.engines import Engines
from api.core.executors import CpuExecutor, ProcessPool
from api.core.inner import InnerRequests
from api.core.pipeline import Machinery
from api.core.settings import Settings
from api.core.upstream import Upstream
from api.data.drafts import drafts
from api.data.horizons import READERS, READERS_ELSEWHERE, Horizons
from api.data.hydration import Hydrator
from api.data.location import Locations
from api.data.published import Published
from api.data.snow.reader import Snow
from api.data.surfaces import Mounting, Surface
from api.data.typical_year import Climate
from api.database.database import Database
from api.database.engine import address
from api.jobs.bell import make_bell
from api.jobs.links import Links
from api.jobs.queue import Jobs
from api.jobs.results import Results
from api.observing.answers import Answers
from api.observing.metrics import Metrics
from catalog.snow_cells import SnowCells
from catalog.snow_products import HISTORY, OUTLOOK
from catalog.sources import nve_gts
from tiles.store import open_store

# Finished answers of all groups; a file of a typical year takes 0.3 MB compressed.
_BODIES_BYTES = 8_000_000

AnnualProduction = Callable[[float, float, tuple[Surface, ...], Mounting], Awaitable[tuple[float, str]]]
"""From latitude, longitude, surfaces and mounting to kWh a year and their data origin."""


class Resources:
    """Shared resources of the groups.

    A group adds to `lifespans` what runs beside the requests, and to `trims` what keeps its folders bounded. `api/pv`
    sets `annual_production`, for groups that may not import it; the application sets `inner` when it has all routes.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings, self.clock = settings, settings.clock
        self.counted = settings.access == "keys"
        hydrator = Hydrator(settings.store, settings.state)
        self.secret = load_secret(settings.secret, settings.state)
        self.clients = Clients(settings.trusted_proxies)
        self.plans = read_plans(settings.plans)
        self.metrics = Metrics(settings.metrics)
        self.answers = Answers(self.metrics)
        store, altered = open_store(settings.store), self.metrics.altered
        self.published = Published(store, settings.clock, hydrator, settings.poll_s, settings.first_look_s, altered)
        self.database = Database(address(settings.database, settings.state), self.secret)
        self.bell = make_bell(self.database.url, settings.state)
        self.jobs, self.results = Jobs(self.database, self.bell, settings.clock), Results(settings.results_address)
        self.links = Links(self.secret, settings.base_url)
        self.ledger = Ledger(self.database, self.plans, settings.clock, settings.state / "charges")
        counting = self.ledger if self.counted else None
        gate = Gate(self.secret, self.plans, self.clients, settings.clock, counting, self.metrics.rejected)
        self.rates = Rates(settings.rate_store or settings.state, self.secret, self.clients, self.metrics.rejected)
        self.user_agent = settings.user_agent
        self.engines, cpu, processes = Engines(), CpuExecutor(), ProcessPool()
        bodies: Cache[bytes] = Cache(_BODIES_BYTES, len)
        self.machinery = Machinery(settings.state, code_version(), self.engines, cpu, processes, bodies, gate)
        self.horizons = Horizons(self.published, READERS_ELSEWHERE if "://" in settings.store else READERS)
        self.climate = Climate(self.published)
        self.annual_production: AnnualProduction | None = None
        self.inner: InnerRequests | None = None
        self.locations = Locations(self.climate, self.horizons, cpu)
        snow_folder, url = settings.state / "readthrough" / "snow", settings.address("nve_gts")
        self.snow_cells = SnowCells(url, self.user_agent, snow_folder, settings.clock, (HISTORY, OUTLOOK))
        self.snow_authority = Upstream(nve_gts.NAME)
        self.snow = Snow(self.published, self.snow_cells, self.snow_authority)
        # The kernels come first, while tiles are opened: that leaves the interpreter to them for much of the time.
        self.lifespans: list[Callable[[], AbstractAsyncContextManager[None]]] = [
            self.engines.lifespan,
            self.rates.lifespan,
            self.database.lifespan,
            self.bell.lifespan,
            self.ledger.lifespan,
            self.published.lifespan,
            processes.lifespan,
            partial(drafts, self.published, settings.poll_s),
        ]
        self.trims: list[Callable[[], None]] = [self.snow_cells.trim]
