"""Tiles behind any address that fsspec knows, read only: a plain file server is enough, nothing is ever listed."""

from collections.abc import Callable
from typing import Any, NoReturn

from fsspec.core import url_to_fs
from fsspec.implementations.http import HTTPFileSystem
from zarr.storage import FsspecStore

from tiles.store import NotFound, Store, open_store


class _Http(HTTPFileSystem):  # type: ignore[misc]
    """HTTP that takes a part of a file also from a server that ignores `Range` and sends the whole."""

    async def _cat_file(self, url: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        if start is None and end is None:
            whole: bytes = await super()._cat_file(url, **kwargs)
            return whole
        session = await self.set_session()
        wanted = {"Range": await self._process_limits(url, start, end)}
        async with session.get(self.encode_url(url), headers=wanted) as answer:
            data: bytes = await answer.read()
            self._raise_not_found_for_status(answer, url)
            return data if answer.status == 206 else data[start:end]


class RemoteFolder(Store):
    """A folder behind an address of fsspec's.

    Parameters
    ----------
    url : str
        `https://host/tiles`, `gs://bucket/prefix`.

    Raises
    ------
    ValueError
        fsspec knows no such protocol.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url.rstrip("/"), None)
        self._files, self._root = self._connect(asynchronous=False)

    def _connect(self, *, asynchronous: bool) -> tuple[Any, str]:
        if self.url.startswith(("http://", "https://")):
            return _Http(asynchronous=asynchronous), self.url
        files, root = url_to_fs(self.url, asynchronous=asynchronous)
        return files, root

    def get(self, key: str) -> bytes:
        """Return an object whole.

        Raises
        ------
        NotFound
        """
        try:
            return bytes(self._files.cat_file(f"{self._root}/{key}"))
        except FileNotFoundError as error:
            raise NotFound(key) from error

    def zarr(self, key: str, *, read_only: bool = False) -> Any:  # noqa: ARG002 - it always is
        """Return a folder as a zarr-python store."""
        files, root = self._connect(asynchronous=True)
        if files.async_impl:
            return FsspecStore(files, read_only=True, path=f"{root}/{key}")
        return FsspecStore.from_url(f"{self.url}/{key}", read_only=True)

    def put(self, key: str, data: bytes) -> NoReturn:  # noqa: ARG002
        """Refuse: it is read only."""
        raise PermissionError(f"{self.url} is read only: give a folder or s3://bucket/prefix to write to")

    def update(self, key: str, change: Callable[[bytes | None], bytes]) -> NoReturn:  # noqa: ARG002
        """Refuse: it is read only."""
        self.put(key, b"")

    def _below(self, key: str) -> NoReturn:
        self.put(key, b"")


def open_readable(url: str) -> Store:
    """Open a folder or a bucket as `tiles.store.open_store` does, and anything else through fsspec."""
    local = "://" not in url or url.startswith(("file://", "s3://"))
    return open_store(url) if local else RemoteFolder(url)
