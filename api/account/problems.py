"""The problems of registration."""

from api.core.errors import problem

REGISTERED = problem("account.REGISTERED")
NO_MAIL = problem("account.NO_MAIL")
NO_ACCOUNTS = problem("account.NO_ACCOUNTS")
LINK_DAMAGED = problem("account.LINK_DAMAGED")
LINK_UNKNOWN = problem("account.LINK_UNKNOWN")
LINK_EXPIRED = problem("account.LINK_EXPIRED")
OF_LINKS = (LINK_DAMAGED, LINK_UNKNOWN, REGISTERED, LINK_EXPIRED, NO_ACCOUNTS)
