"""Signed links to files of results: who has one may read the file until it expires."""

import base64
import hmac
from datetime import UTC, datetime

from api.access.secret import Secret
from api.core.errors import problem

PATH = "/api/results/{job}/{file}"

INVALID_LINK = problem("results.INVALID_LINK")
EXPIRED_LINK = problem("results.EXPIRED_LINK")


class Links:
    """Signs and checks links.

    Parameters
    ----------
    secret : Secret
        Of the installation.
    base_url : str
        With which links begin.
    """

    def __init__(self, secret: Secret, base_url: str) -> None:
        self._secret, self._base_url = secret, base_url

    def to(self, job: str, file: str, expires_at: datetime) -> str:
        """Return the link to a file of a job's result."""
        expires = str(int(expires_at.timestamp()))
        path = PATH.format(job=job, file=file)
        return f"{self._base_url}{path}?expires={expires}&signature={self._sign(job, file, expires)}"

    def check(self, job: str, file: str, expires: str, signature: str, now: datetime) -> None:
        """Refuse a link that is not ours, or has expired.

        Raises
        ------
        ApiError
            `INVALID_LINK`, `EXPIRED_LINK`.
        """
        if not hmac.compare_digest(self._sign(job, file, expires).encode(), signature.encode()):
            raise INVALID_LINK()
        if datetime.fromtimestamp(int(expires), UTC) <= now:
            raise EXPIRED_LINK()

    def _sign(self, job: str, file: str, expires: str) -> str:
        digest = self._secret.digest("result link", f"{job}/{file}/{expires}")
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")
