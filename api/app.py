"""The application factory: everything is made here, and handed to those who need it."""

from importlib.metadata import version

from aiohttp import web

import api.docs
import api.forecast.routes
import api.health.routes
from api.errors import answer_errors
from api.forecast.sites import read_sites
from api.hydration import Hydrator
from api.published import Followed, Published
from api.routing import Route, register
from api.settings import Settings
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
    SitesError
        The file of sites cannot be read.
    ValueError
        The store's address is none.
    """
    code_version = version("solflis")
    prepare = {"forecast": api.forecast.routes.preparations(code_version)}
    followed = {name: Followed(product, prepare.get(name, {})) for name, product in PRODUCTS.items()}
    hydrator = Hydrator(settings.store, settings.state)
    published = Published(open_store(settings.store), settings.clock, hydrator, followed, settings.poll_s)

    routes = (
        *api.forecast.routes.routes(followed["forecast"], read_sites(settings.sites), settings.clock),
        *api.health.routes.routes(published, settings.clock, code_version),
        *more_routes,
    )
    app = web.Application(middlewares=[answer_errors], client_max_size=MAX_BODY_BYTES)
    register(app, (*routes, *api.docs.routes(routes)))
    app.cleanup_ctx.append(published.lifespan)
    return app
