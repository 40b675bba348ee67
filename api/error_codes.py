"""What programs call an error, by its status: the `code` beside its text, of routes that say so (`Route.coded`)."""

from collections.abc import Mapping

CODES: Mapping[int, str] = {
    400: "INVALID_INPUT",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NO_TILE",
    405: "METHOD_NOT_ALLOWED",
    408: "REQUEST_TIMEOUT",
    409: "CONFLICT",
    413: "TOO_LARGE",
    415: "UNSUPPORTED_MEDIA",
    429: "RATE_LIMITED",
    500: "INTERNAL",
    502: "BACKEND_ERROR",
    503: "UNAVAILABLE",
    504: "BACKEND_TIMEOUT",
}
