"""The application factory: everything is made here, and handed to those who need it."""

from importlib.metadata import version

from aiohttp import web

import api.account.routes
import api.docs
import api.forecast.bulk.routes
import api.forecast.extended.routes
import api.forecast.nowcast.routes
import api.forecast.production.routes
import api.forecast.routes
import api.health.routes
import api.horizon.rooftop.routes
import api.horizon.terrain.routes
import api.observing.routes
import api.pv.routes
import api.snow.routes
import api.snowload.routes
import api.tmy.routes
from api.access.callers import CLIENTS, Clients
from api.access.ledger import Ledger
from api.access.plans import read_plans
from api.access.rates import RATES, Rates
from api.access.secret import load_secret
from api.account.contact import read_contact
from api.account.mail import checked_sender, make_mailer
from api.account.pages import Pages
from api.account.registration import PLAN, Registrations
from api.answer_cache import AnswerCache
from api.code_version import code_version
from api.database.database import Database
from api.database.engine import address
from api.drafts import Drafts
from api.engines import Engines
from api.forecast.current import Forecasts, preparations
from api.forecast.extended.external import External
from api.forecast.extended.routes import ExtendedHandlers
from api.forecast.extended.turbidity import PREPARE, Turbidity
from api.forecast.nowcast.answer import PREPARE as NOWCAST
from api.forecast.sites import read_sites
from api.forecast.snow.borders import PREPARE as BORDERS
from api.forecast.snow.current import SnowFactors
from api.forecast.snow.factors import PREPARE as SNOW_FACTORS
from api.gate import GATE, Gate
from api.horizon.rooftop.land import Land
from api.horizons import PREPARE as HORIZON
from api.horizons import READERS, READERS_ELSEWHERE, Horizons
from api.hydration import Hydrator
from api.observing.answers import ANSWERS, Answers
from api.observing.metrics import METRICS, Metrics
from api.pictures.pictures import Pictures
from api.published import Followed, Published
from api.pv.ground import PREPARE as ALBEDO
from api.routing import Route, register
from api.settings import Settings
from api.snow.current import PREPARE as SNOW
from api.snow.losses import Snow
from api.snowload.annex import read_annex
from api.snowload.maxima import ON_DEMAND as SNOWLOAD_CELLS
from api.snowload.maxima import PREPARE as SNOWLOAD
from api.snowload.maxima import SnowLoads
from api.snowload.municipality import PREPARE as MUNICIPALITIES
from api.tmy.current import PREPARE as TMY
from api.tmy.current import Climate
from api.tmy.leads import Leads
from api.tmy.licence import Licence
from api.trimming import Trimming
from api.upstream import Upstream
from catalog.snow_cells import SnowCells
from catalog.snow_products import HISTORY, OUTLOOK
from catalog.sources import nve_gts
from tiles.products.registry import PRODUCTS
from tiles.store import open_store

MAX_BODY_BYTES = 1_000_000


def create_app(settings: Settings, more_routes: tuple[Route, ...] = ()) -> web.Application:
    """Make the application.

    Parameters
    ----------
    settings : Settings
    more_routes : tuple of Route
        Beside the API's own; a benchmark's baseline uses it.

    Raises
    ------
    SitesError, PlansError, AnnexError, SecretError
        The file of sites or plans, the table of snow loads or the secret cannot be read.
    DatabaseError, ValueError
        The database's or the store's address is none.
    """
    code = code_version()
    prepare = {
        **preparations(code),
        "turbidity": PREPARE,
        "nowcast": NOWCAST,
        "horizon": HORIZON,
        **TMY,
        **SNOW,
    }
    prepare |= {"snow_factors": SNOW_FACTORS, "municipality": BORDERS}
    prepare |= {"albedo": ALBEDO, "snowload": SNOWLOAD, "municipality_borders": MUNICIPALITIES}
    followed = {name: Followed(product, prepare.get(name, {})) for name, product in PRODUCTS.items()}
    hydrator = Hydrator(settings.store, settings.state)
    secret = load_secret(settings.secret, settings.state)
    clients = Clients(settings.trusted_proxies)
    plans = read_plans(settings.plans)
    metrics = Metrics(settings.metrics)
    noted = Answers(metrics)
    database = Database(address(settings.database, settings.state), secret)
    ledger = Ledger(database, plans, settings.clock)
    gate = Gate(secret, plans, clients, ledger if settings.access == "keys" else None, metrics.rejected)
    rates = Rates(settings.rate_store or settings.state, secret, metrics.rejected)
    mailer = make_mailer(settings.smtp, settings.state)
    sender, base_url = checked_sender(settings.mail_from), settings.base_url
    contact = read_contact(settings.contact)
    registrations = Registrations(
        database, secret, rates, mailer, settings.clock, sender=sender, base_url=base_url, contact=contact.text
    )
    pages = Pages(contact, base_url, plans.plans[PLAN] if settings.access == "keys" else None)
    published = Published(open_store(settings.store), settings.clock, hydrator, followed, settings.poll_s)
    answers = AnswerCache(settings.state / "answers")
    sites = read_sites(settings.sites)
    forecasts = Forecasts(followed["forecast"], followed["day"], settings.clock)
    user_agent = f"solflis/{version('solflis')} ({settings.contact or base_url})"
    external = External(settings.address("locationforecast"), user_agent, settings.state, settings.clock)
    readers = READERS_ELSEWHERE if "://" in settings.store else READERS
    horizons = Horizons(followed["horizon"], settings.clock, readers)
    heights = settings.state / "readthrough" / "kartverket_wcs"
    land = Land(settings.address("kartverket_wcs"), user_agent, heights, settings.heights_bytes)
    factors = SnowFactors(followed["snow_factors"], followed["municipality"])
    turbidity = Turbidity(followed["turbidity"], settings.clock)
    extended = ExtendedHandlers(forecasts, turbidity, external, factors, sites, gate)
    engines = Engines()
    licence = Licence(settings.tmy_license_version, settings.tmy_license_last_day)
    climate, pictures = Climate(followed), Pictures(settings.state / "pictures")
    on_demand = (HISTORY, OUTLOOK, SNOWLOAD_CELLS)
    kept_snow = settings.state / "readthrough" / "snow"
    snow_cells = SnowCells(settings.address("nve_gts"), user_agent, kept_snow, settings.clock, on_demand)
    authority = Upstream(nve_gts.NAME)
    snow = Snow(followed["snow_history"], followed["snow_outlook"], snow_cells, authority, settings.clock)
    snow_answers = api.snow.routes.caches(settings.state)
    snows = api.snow.routes.SnowHandlers(climate, horizons, snow, *snow_answers, settings.clock, engines, code)
    snowloads = api.snowload.routes.SnowloadHandlers(
        SnowLoads(followed["snowload"], snow_cells, authority, settings.clock),
        followed["municipality_borders"],
        read_annex(settings.snowload_table),
        pictures,
        settings.clock,
        engines,
        code,
    )
    leads = Leads(database, settings.clock, licence.version)

    routes = (
        *api.forecast.routes.routes(forecasts, sites, extended, gate),
        *api.forecast.production.routes.routes(forecasts, horizons, factors, engines, gate),
        *api.forecast.bulk.routes.routes(forecasts, factors, gate, answers),
        *api.forecast.extended.routes.routes(extended),
        *api.forecast.nowcast.routes.routes(forecasts, followed["nowcast"], sites, gate),
        *api.tmy.routes.routes(climate, leads, licence, settings.clock, engines, gate, code),
        *api.pv.routes.routes(climate, horizons, snow, followed["albedo"], pictures, settings.clock, engines, code),
        *api.snow.routes.routes(snows),
        *api.snowload.routes.routes(snowloads),
        *api.horizon.terrain.routes.routes(horizons, pictures, engines, code),
        *api.horizon.rooftop.routes.routes(land, horizons, pictures, engines),
        *api.account.routes.routes(registrations, pages, contact.text),
        *api.health.routes.routes(published, settings.clock, code),
        *api.observing.routes.routes(metrics, noted, published, settings.clock, ledger),
        *more_routes,
    )
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    described = api.docs.routes(routes, plans if settings.access == "keys" else None)
    register(app, (*routes, *described), gate)
    app[CLIENTS], app[METRICS], app[ANSWERS], app[RATES], app[GATE] = clients, metrics, noted, rates, gate
    app.on_cleanup.extend([noted.close, metrics.close])
    # The kernels come first, while tiles are opened: that leaves the interpreter to them for much of the time.
    app.cleanup_ctx.append(engines.lifespan)
    app.cleanup_ctx.extend([rates.lifespan, database.lifespan, ledger.lifespan, published.lifespan])
    drafts = Drafts(published, settings.clock, settings.poll_s)
    app.cleanup_ctx.extend([pictures.lifespan, land.lifespan, drafts.lifespan])
    kept = (answers, external, land, snow_cells, *snow_answers)
    app.cleanup_ctx.append(Trimming(*(one.trim for one in kept)).lifespan)
    app.on_startup.extend([database.first_try, engines.begun])
    return app
