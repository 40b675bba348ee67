"""`python -m kernels`: compile what the API calls and keep it beside the source; its workers then need not at start."""

from kernels.production import warm_up

warm_up()
