# `make` lists what there is. `make run` and `make test` need nothing but Python >= 3.11 and the network.

PYTHON ?= python3
VENV ?= .venv
OUT ?= out
PAPER ?= paper
PLAN ?= tables
WORKERS ?= 2
FROM ?=
PYTEST_ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

# Stamps, so that installing happens once and again only when pyproject.toml changes.
MADE := $(VENV)/.made
RUNNABLE := $(VENV)/.runnable
STUDIABLE := $(VENV)/.studiable
TESTABLE := $(VENV)/.testable

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two installations into one environment at once would get into each other's way.
.NOTPARALLEL:
.PHONY: help run paper test test-portable test-paper test-slow test-browser lint style types format hooks clean distclean

help: ## List the targets
	@echo "make <target> [PYTHON=python3] [VENV=.venv] [OUT=out] [PYTEST_ARGS=...]"
	@echo "make paper [PLAN=tables] [WORKERS=2] [FROM=rows.csv] [PAPER=paper]"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

run: $(RUNNABLE) ## Install the package and solve the seven benchmarks of the paper; pictures land in out/
	$(BIN)/fspielm demo --out "$(OUT)"

paper: $(STUDIABLE) ## Solve the paper's tables in some hours, or go on with them; report in paper/
	mkdir -p "$(PAPER)"
	$(BIN)/fspielm study run $(PLAN) --store "$(PAPER)/$(PLAN).db" --workers $(WORKERS) $(if $(FROM),--from "$(FROM)")
	$(BIN)/fspielm study report "$(PAPER)/$(PLAN).db" --out "$(PAPER)/$(PLAN)"

# Types are checked beside the tests, which end in processes that wait for one another. Bytecode is kept, or each of
# the many processes that tests start would compile the library anew; and so are more of SymPy's results than it would
# keep, since tests ask for the same again.
test: style ## Install what the tests need; run ruff, mypy, import-linter and pytest
	@$(MAKE) --no-print-directory types >"$(VENV)/types.log" 2>&1 & types=$$!; \
	PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 SYMPY_CACHE_SIZE=20000 $(BIN)/python -m pytest -n auto $(PYTEST_ARGS); tested=$$?; \
	wait $$types; typed=$$?; cat "$(VENV)/types.log"; exit $$((tested || typed))

test-portable: $(TESTABLE) ## Run the computing tests as other processors would
	$(BIN)/python benchmarks/portable.py $(PYTEST_ARGS)

test-paper: $(TESTABLE) ## Run the slow reproductions of the paper
	$(BIN)/python -m pytest -m paper $(PYTEST_ARGS)

test-slow: $(TESTABLE) ## Run the other slow tests
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

test-browser: $(TESTABLE) ## Look at the page of a report in chromium, without a window
	$(BIN)/python -m pytest -m browser $(PYTEST_ARGS)

lint: style types ## Run ruff, mypy and import-linter, changing nothing

style: $(TESTABLE)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

types: $(TESTABLE)
	$(BIN)/python -m mypy --strict src
	$(BIN)/lint-imports

format: $(TESTABLE) ## Format, and fix what ruff can fix
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

hooks: $(TESTABLE) ## Run the linters before every commit
	$(BIN)/python -m pre_commit install

clean: ## Remove caches, builds and out/
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist "$(OUT)"
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the virtual environment as well
	rm -rf "$(VENV)"

$(MADE):
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "fspielm needs Python 3.11 or newer, and there is no '$(PYTHON)' here; try: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "fspielm needs Python 3.11 or newer, and '$(PYTHON)' is `"$(PYTHON)" --version 2>&1`; try: make PYTHON=python3.12 ..." >&2; exit 1; }
	"$(PYTHON)" -m venv "$(VENV)"
	@touch $@

$(RUNNABLE): pyproject.toml $(MADE)
	@echo "Installing fspielm and what it needs into $(VENV); the first time takes about a minute."
	$(PIP) --editable '.[plot]'
	@touch $@

$(STUDIABLE): pyproject.toml $(MADE)
	$(PIP) --editable '.[plot,cluster]'
	@touch $(RUNNABLE) $@

$(TESTABLE): pyproject.toml $(MADE)
	@echo "Installing fspielm and what its tests need into $(VENV); the first time takes about a minute."
	$(PIP) --editable '.[dev]'
	@touch $(RUNNABLE) $(STUDIABLE) $@
