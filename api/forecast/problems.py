"""The problems of this group."""

from api.core.errors import problem
from api.core.problems import NotBuilt

# Requests.
GET_POINT = problem("forecast.GET_POINT")
OUTSIDE = problem("forecast.OUTSIDE")
NOT_A_ZONE = problem("forecast.NOT_A_ZONE")
NOT_VARIABLES = problem("forecast.NOT_VARIABLES")
NOT_ARRAYS = problem("forecast.NOT_ARRAYS")
NO_PLANT = problem("forecast.NO_PLANT")
NO_DATABASE = problem("plants.NO_DATABASE")

# Data.
EXTERNAL_FAILED = problem("forecast.EXTERNAL_FAILED")
NO_CYCLE = problem("forecast.NO_CYCLE")
NOT_OPEN = problem("forecast.NOT_OPEN")
NO_VARIABLE = problem("forecast.NO_VARIABLE")
NO_WEATHER = problem("forecast.NO_WEATHER")
NO_WIND = problem("forecast.NO_WIND")
NO_HORIZON = problem("forecast.NO_HORIZON")
NO_TURBIDITY = problem("forecast.NO_TURBIDITY", NotBuilt)
NO_CELL = problem("forecast.NO_CELL")
DAMAGED_CELL = problem("forecast.DAMAGED_CELL")

PLACE = (GET_POINT, OUTSIDE)
FORECAST = (NO_CYCLE, NOT_OPEN, NO_VARIABLE, NO_CELL, DAMAGED_CELL)
PRODUCTION = (NO_WEATHER, NO_WIND, NO_HORIZON)
"""Problems of routes that read a forecast, and of those that calculate production."""
