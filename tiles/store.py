"""Where tiles lie: a folder or an S3 bucket behind one small interface.

Every write is atomic: an object is there whole or not at all. `update` is the only way to change an object that
others change too.
"""

import fcntl
import os
import secrets
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotSupportedError, PreconditionError
from obstore.store import LocalStore, S3Store

_TIMEOUT = timedelta(seconds=30)
_UPDATE_ATTEMPTS = 100
_CONFLICT = (PreconditionError, AlreadyExistsError)


class NotFound(KeyError):
    """There is no such object."""


class UnsafeStore(OSError):
    """The store does not honour conditional puts, so updates of several writers would be lost."""


class Store(ABC):
    """Objects by key below one address.

    Parameters
    ----------
    url : str
        As given; other processes open the same store by it.
    objects : obstore store
    """

    def __init__(self, url: str, objects: Any) -> None:
        self.url = url
        self.objects = objects

    def get(self, key: str) -> bytes:
        """Return an object whole.

        Raises
        ------
        NotFound
        """
        try:
            return bytes(obstore.get(self.objects, key).bytes())
        except FileNotFoundError as error:
            raise NotFound(key) from error

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """Return `length` bytes of an object from `start`; fewer where it ends before.

        Raises
        ------
        NotFound
        """
        try:
            return bytes(obstore.get_range(self.objects, key, start=start, length=length))
        except FileNotFoundError as error:
            raise NotFound(key) from error
        except BaseError:  # of an object that is cut short S3 refuses the range as it refuses anything else
            if start + length <= self.size(key):
                raise
            return self.get(key)[start : start + length]

    def size(self, key: str) -> int:
        """Return an object's size in bytes.

        Raises
        ------
        NotFound
        """
        return int(self._head(key)["size"])

    def etag(self, key: str) -> str | None:
        """Return a text that changes whenever the object does; None where there is none."""
        try:
            return self._head(key)["e_tag"] or ""
        except NotFound:
            return None

    def modified(self, key: str) -> datetime | None:
        """Return when an object was written, real time, aware; None where there is none."""
        try:
            moment: datetime = self._head(key)["last_modified"]
        except NotFound:
            return None
        return moment

    def exists(self, key: str) -> bool:
        """Return whether there is such an object."""
        return self.etag(key) is not None

    def _head(self, key: str) -> Any:
        try:
            return obstore.head(self.objects, key)
        except FileNotFoundError as error:
            raise NotFound(key) from error

    def put(self, key: str, data: bytes) -> None:
        """Write an object, atomically."""
        obstore.put(self.objects, key, data)

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Yield the keys below a folder, in no order."""
        for batch in obstore.list(self.objects, prefix=prefix or None):
            yield from (meta["path"] for meta in batch)

    def folders(self, prefix: str = "") -> list[str]:
        """Return the full keys of the folders right below one."""
        return sorted(obstore.list_with_delimiter(self.objects, prefix=prefix or None)["common_prefixes"])

    def delete(self, key: str) -> None:
        """Remove an object, or everything below a folder; nothing happens where there is neither."""
        while keys := [*self.keys(key), *([key] if self.exists(key) else [])]:
            try:
                obstore.delete(self.objects, keys)
            except FileNotFoundError:  # somebody else is removing it too: see what is left
                continue
            return

    def delete_all(self, keys: Iterable[str]) -> None:
        """Remove objects, many by one request; one that is gone already is no fault."""
        if listed := list(keys):
            with suppress(FileNotFoundError):
                obstore.delete(self.objects, listed)

    def copy(self, source: str, target: str) -> None:
        """Copy an object without reading it: a bucket copies it itself, a folder links it (no object ever changes).

        Raises
        ------
        NotFound
        """
        try:
            obstore.copy(self.objects, source, target)
        except FileNotFoundError as error:
            raise NotFound(source) from error

    def settle(self, keys: Iterable[str]) -> None:  # noqa: B027 - a bucket has nothing to do
        """Return when these objects would outlive a power cut."""

    def require_safe(self) -> None:  # noqa: B027 - a folder has locks
        """Probe whether `update` is safe among several writers; once a process.

        Raises
        ------
        UnsafeStore
        """

    @abstractmethod
    def update(self, key: str, change: Callable[[bytes | None], bytes]) -> None:
        """Replace an object by what `change` makes of its present bytes, as one step among all writers.

        Raises
        ------
        TimeoutError
            Other writers won every attempt.
        UnsafeStore
        """

    def zarr(self, key: str, *, read_only: bool = False) -> Any:
        """Return a folder as a zarr-python store."""
        from zarr.storage import ObjectStore

        return ObjectStore(self._below(key), read_only=read_only)

    @abstractmethod
    def _below(self, key: str) -> Any: ...


class LocalFolder(Store):
    """A folder of this machine."""

    def __init__(self, url: str, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        super().__init__(url, LocalStore(root, automatic_cleanup=True))
        self.root = root

    def path(self, key: str) -> Path:
        """Return the file of a key."""
        return self.root / key

    def update(self, key: str, change: Callable[[bytes | None], bytes]) -> None:
        """Replace an object under a file lock; temp + fsync + rename, so that a crash leaves the old one."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_name(f".{path.name}.lock")):
            write_atomically(path, change(path.read_bytes() if path.exists() else None))

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """Return `length` bytes from `start`, by one positioned read; fewer where the file ends before.

        Raises
        ------
        NotFound
        """
        try:
            handle = os.open(self.path(key), os.O_RDONLY)
        except FileNotFoundError as error:
            raise NotFound(key) from error
        try:
            return os.pread(handle, length, start)
        finally:
            os.close(handle)

    def copy(self, source: str, target: str) -> None:
        """Link a file: no object ever changes in place, so two names of one file are a copy."""
        with suppress(FileNotFoundError):
            if self.path(target).samefile(self.path(source)):
                return  # renaming a link over another name of its file would leave both
        super().copy(source, target)

    def delete(self, key: str) -> None:
        """Remove a file, or everything below a folder, also what a killed writer has left there."""
        super().delete(key)
        shutil.rmtree(self.path(key), ignore_errors=True)

    def settle(self, keys: Iterable[str]) -> None:
        """Return when these files, and the folders that name them, are on the disk."""
        files = [self.path(key) for key in keys]
        folders = {parent for file in files for parent in file.parents if self.root in parent.parents}
        for path in (*files, *sorted(folders)):
            _fsync(path)

    def _below(self, key: str) -> Any:
        return LocalStore(self.path(key), mkdir=True)


# How an ETag is written in If-Match. Ceph RGW wants it bare and answers the quoted one with 412 every time; others
# want the quotes that the standard asks for; most take both.
_FORMS = ("{}", '"{}"')
_NO_ETAG = "0" * 32
_ETAG_FORMS: dict[tuple[str, str], str] = {}
"""By endpoint and address: what the probe found."""


def _tagged(e_tag: str, form: str) -> dict[str, str]:
    return {"e_tag": form.format(e_tag.strip('"'))}


class S3Bucket(Store):
    """A bucket, or a prefix in one."""

    def __init__(self, url: str, bucket: str, prefix: str) -> None:
        self.bucket, self.prefix = bucket, prefix
        self._etag_form = _FORMS[0]
        super().__init__(url, self._open(prefix))

    def _open(self, prefix: str) -> Any:
        # credentials, region and endpoint come from the usual AWS_ variables, read by the library
        return S3Store(
            self.bucket,
            prefix=prefix or None,
            # plain http only ever happens where the operator's own endpoint says so
            client_options={"allow_http": True, "timeout": _TIMEOUT, "connect_timeout": timedelta(seconds=5)},
            retry_config={"max_retries": 4, "retry_timeout": timedelta(seconds=60)},
        )

    def require_safe(self) -> None:
        """Probe on an object of its own that conditional puts are honoured, and how ETags have to be written."""
        address = (os.environ.get("AWS_ENDPOINT_URL", ""), self.url)
        if address not in _ETAG_FORMS:
            _ETAG_FORMS[address] = self._probe()
        self._etag_form = _ETAG_FORMS[address]

    def _probe(self) -> str:
        key = f".probe-{secrets.token_hex(8)}"
        try:
            e_tag = obstore.put(self.objects, key, b"1", mode="create")["e_tag"] or ""
            if not self._put_if(key, b"2", "create"):
                for form in _FORMS:
                    if self._put_if(key, b"3", _tagged(_NO_ETAG, form)):
                        break  # ignored
                    if self._put_if(key, b"4", _tagged(e_tag, form)):
                        return form
        except NotSupportedError:
            pass  # said below
        finally:
            obstore.delete(self.objects, key)
        raise UnsafeStore(
            f"{self.url} cannot be written to: its server does not honour conditional puts (If-None-Match, If-Match), "
            "so that versions published at the same time would be lost"
        )

    def _put_if(self, key: str, data: bytes, mode: Any) -> bool:
        try:
            obstore.put(self.objects, key, data, mode=mode)
        except _CONFLICT:
            return False
        return True

    def update(self, key: str, change: Callable[[bytes | None], bytes]) -> None:
        """Replace an object by conditional puts, again and again until nobody came between."""
        self.require_safe()
        for _ in range(_UPDATE_ATTEMPTS):
            try:
                present = obstore.get(self.objects, key)
                old: bytes | None = bytes(present.bytes())
                mode: Any = _tagged(present.meta["e_tag"] or "", self._etag_form)
            except FileNotFoundError:
                old, mode = None, "create"
            if self._put_if(key, change(old), mode):
                return
        raise TimeoutError(f"{self.url}/{key} is being changed by others all the time")

    def _below(self, key: str) -> Any:
        return self._open("/".join(part for part in (self.prefix, key) if part))


def open_store(url: str) -> Store:
    """Open a folder (`./var/tiles`, `file:///data`) or a bucket (`s3://bucket/prefix`).

    Raises
    ------
    ValueError
        The address is neither.
    """
    if url.startswith("s3://"):
        bucket, _, prefix = url.removeprefix("s3://").partition("/")
        if not bucket:
            raise ValueError(f"'{url}' names no bucket: write s3://bucket/prefix")
        return S3Bucket(url, bucket, prefix.strip("/"))
    if "://" in url and not url.startswith("file://"):
        raise ValueError(f"'{url}' is no store: give a folder or s3://bucket/prefix")
    return LocalFolder(url, Path(url.removeprefix("file://")).resolve())


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a local file so that a crash leaves the old one or the new one, whole; where `durable`, a power cut too."""
    # not mkstemp: its files can be read by nobody else, and who serves may be another user than who publishes
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        _fsync(path.parent)


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
