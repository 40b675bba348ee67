"""The problem of this group."""

from api.core.errors import problem

NOT_TODAY = problem("production.NOT_TODAY")
