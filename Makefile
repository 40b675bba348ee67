# Each target does what set-up it needs. The recipes run one program each, so that signals reach it.
.PHONY: run test test-all check bench metadata declarations
.DEFAULT_GOAL := run

BIN := .venv/bin
READY := .venv/.ready
COMPILED := .venv/.compiled

run: $(COMPILED)
	@$(BIN)/solflis up

# Tests start hundreds of processes: each would compile all of the code anew.
test test-all: export PYTHONDONTWRITEBYTECODE :=

test: $(COMPILED)
	@$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

test-all: $(COMPILED)
	@$(BIN)/pytest -n 2 --dist worksteal --hypothesis-profile=random

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tiles.metadata
	$(BIN)/python -m api.mcp.declare

bench: $(COMPILED)
	@$(BIN)/python -m tests.bench

# Renews the checked-in Zarr metadata of the products after a change of schema.
metadata: $(READY)
	$(BIN)/python -m tiles.metadata --write

# Renews the checked-in declarations of the tools after a change of routes, texts or names.
declarations: $(READY)
	$(BIN)/python -m api.mcp.declare --write

$(READY): requirements.lock pyproject.toml infra/set_up.sh
	@infra/set_up.sh
	@touch $@

# Machine code of the kernels that the API calls, some ten seconds: else its workers would make it while they start.
$(COMPILED): $(READY) $(wildcard kernels/*.py kernels/*/*.py)
	@$(BIN)/python -m kernels
	@touch $@
