# Everything happens in .venv; only Python 3.11 or newer is needed beforehand.
PYTHON ?= python3
BIN := .venv/bin
SERVE ?=

.PHONY: run test install check bench

run: install
	exec $(BIN)/quizsvc serve $(SERVE)

# A file's tests stay together, so that they share one service and one browser.
test: .venv/dev
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

install: .venv/catalogue .venv/templates

check: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/quizsvc bank lint

bench: .venv/bench
	$(BIN)/python -m benchmarks

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "quizsvc needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/app: .venv/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e .
	@touch $@

# The service then starts without importing torch.
.venv/catalogue: .venv/app $(shell find sim -name '*.py')
	$(BIN)/python -m sim catalogue --keep
	@touch $@

# The first visitors then do not wait for the pages' templates.
.venv/templates: .venv/app $(wildcard quizsvc/templates/*.html)
	$(BIN)/python -m quizsvc.web
	@touch $@

.venv/dev: .venv/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@ .venv/app

.venv/bench: .venv/dev
	$(BIN)/pip install --quiet -c constraints.txt -e '.[bench]'
	@touch $@
