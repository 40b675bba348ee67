"""Declaration of a tool: its arguments, the API routes that it asks, and the summary of their answers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Fields = dict[str, Any]
Schema = Mapping[str, Any]


class ToolError(Exception):
    """A call of a tool fails; the text is Norwegian and says what to send instead.

    Parameters
    ----------
    text : str
    status : int
        HTTP status of the API's answer; 0 where it was not asked.
    content : dict, optional
        Body of that answer.
    """

    def __init__(self, text: str, status: int = 0, content: Fields | None = None) -> None:
        super().__init__(text)
        self.status, self.content = status, content or {}


class Api(Protocol):
    """The API as one caller reaches it, with his key and from his address.

    Attributes
    ----------
    base_url : str
        Where callers reach it; links begin with it.
    wait_s : float
        How long a tool waits for a job, s.
    """

    base_url: str
    wait_s: float

    async def get(self, path: str, query: Mapping[str, Any]) -> Fields:
        """Return the answer to a GET; raises ToolError."""

    async def post(self, path: str, body: Mapping[str, Any]) -> Fields:
        """Return the answer to a POST; raises ToolError."""


class Link(NamedTuple):
    """A file to download: its address, name and media type."""

    uri: str
    name: str
    media_type: str


def no_links(_: Api, __: Fields) -> list[Link]:
    """Return no links."""
    return []


@dataclass(frozen=True)
class Tool:
    """One tool; its texts are in `tools.toml`.

    Parameters
    ----------
    name : str
    answers : mapping of str to str
        Parts of the result, and the route (`GET /path`) whose answer each is; `""` is the result itself.
    fetch : callable
        Asks the API: from the arguments to the parts.
    summarise : callable
        From the parts to a Norwegian text.
    takes : mapping of str to tuple of str
        Arguments by the route (`GET /path`) that declares them as parameters or fields of its body.
    own : mapping of str to dict
        JSON schemas of arguments that no route declares so.
    required : tuple of str
    optional_parts : tuple of str
        Parts that are not in every result.
    links : callable
    needs_key : bool
    open_world : bool
        Whether it searches what somebody else keeps.
    """

    name: str
    answers: Mapping[str, str]
    fetch: Callable[[Api, Fields], Awaitable[dict[str, Fields]]]
    summarise: Callable[[dict[str, Fields]], str]
    takes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ("lat", "lon")
    optional_parts: tuple[str, ...] = ()
    links: Callable[[Api, Fields], list[Link]] = no_links
    needs_key: bool = False
    open_world: bool = False
