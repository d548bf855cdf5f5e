# Everything that is done to this project by hand or by a machine. `make` lists it.
# Needs make and Python 3.11 or later; whatever else is needed goes into .venv, from requirements.lock.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.ONESHELL:
MAKEFLAGS += --no-builtin-rules
$(if $(filter oneshell,$(.FEATURES)),,$(error GNU make 3.82 or later is needed, this is $(MAKE_VERSION)))

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# What the lock must satisfy; `make lock` refreshes the pins, `make lock UPGRADE=` only adds what is missing.
UPGRADE ?= --upgrade

DEMO_DIR ?= build/demo
DEMO_FAULTS ?= pays-wrong-row takes-a-push forgets-bonus late-bet duplicate-card run-over-3x gap settlement-order \
	house-way-misset voids-exposed

DEMO_LIVE_DIR ?= build/demo-live
DEMO_LIVE_PORT ?= 19092
DEMO_LIVE_SPEED ?= 240

PYTEST_ARGS ?=

MINUTES ?= 60
RATE ?= 1000
BENCHES = $(filter-out __init__ _%,$(basename $(notdir $(wildcard tests/bench/*.py))))

.PHONY: help setup tools demo demo-live test lint bench soak soak-live acceptance lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## make .venv from the lock (done by every target that needs it)

# One shell, so that a half-made environment is never marked ready. An existing one is kept: others may be using it.
$(READY): requirements.lock pyproject.toml
	@usable() { "$$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
	if ! usable $(BIN)/python; then
		found=
		for python in $(if $(filter file,$(origin PYTHON)),$(PYTHON) python3.13 python3.12 python3.11,$(PYTHON)); do
			if usable "$$python"; then found=$$python; break; fi
		done
		if [ -z "$$found" ]; then
			echo "setup: no Python 3.11 or later as '$(PYTHON)'; install one, or name it: make setup PYTHON=/path/to/python3.12" >&2
			exit 2
		fi
		echo "setup: making $(VENV) with $$("$$found" --version)"
		"$$found" -m venv --clear $(VENV)
	fi
	echo "setup: installing requirements.lock"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q dashboards replay services # a first call is as quick as the next, wherever bytecode is not written
	$(BIN)/python -m pip check --disable-pip-version-check >/dev/null || {
		$(BIN)/python -m pip check --disable-pip-version-check >&2 || true
		echo "setup: requirements.lock does not fit pyproject.toml; run: make lock" >&2
		exit 2
	}
	touch $@

tools: ## fetch what the tests of deploy/ and dashboards/ need besides, into build/tools; installs nothing
	@tests/deploy/fetch_tools.sh

demo: $(READY) ## simulate a floor with planted faults, audit it, show the findings
	@mkdir -p $(DEMO_DIR)
	echo "demo: a table of each game, 60 rounds each, seed 7, into $(DEMO_DIR)/evening.jsonl"
	$(BIN)/pitproof simulate --rounds 60 --seed 7 $(addprefix --fault ,$(DEMO_FAULTS)) \
		--planted $(DEMO_DIR)/planted.json --output $(DEMO_DIR)/evening.jsonl
	status=0
	$(BIN)/pitproof audit $(DEMO_DIR)/evening.jsonl || status=$$?
	# 1 says that there are findings, which is what the demo is for; everything above says that it failed.
	[ "$$status" -le 1 ] || exit "$$status"

demo-live: $(READY) ## a broker, a floor at many times real speed, the service, findings as they come; all stopped at the end
	@mkdir -p $(DEMO_LIVE_DIR)
	rm -f $(DEMO_LIVE_DIR)/history.duckdb*
	service=
	finish() {
		if [ -n "$$service" ]; then kill -TERM "$$service" 2>/dev/null || true; wait "$$service" || true; fi
		$(BIN)/pitproof kafka down --dir $(DEMO_LIVE_DIR)/broker --delete
	}
	trap finish EXIT
	servers=$$($(BIN)/pitproof kafka up --port $(DEMO_LIVE_PORT) --dir $(DEMO_LIVE_DIR)/broker)
	$(BIN)/pitproof serve --db $(DEMO_LIVE_DIR)/history.duckdb --bootstrap-servers "$$servers" \
		--create-topics --show-findings --listen 127.0.0.1:0 &
	service=$$!
	echo "demo-live: 25 rounds at each of three tables, $(DEMO_LIVE_SPEED) times as fast as on a floor"
	$(BIN)/pitproof simulate --rounds 25 --seed 7 $(addprefix --fault ,$(DEMO_FAULTS)) --create-topics \
		--planted $(DEMO_LIVE_DIR)/planted.json --kafka "$$servers" --speed $(DEMO_LIVE_SPEED)
	sleep 2
	status=0
	$(BIN)/pitproof findings --db $(DEMO_LIVE_DIR)/history.duckdb || status=$$?
	[ "$$status" -le 1 ] || exit "$$status"

test: $(READY) ## run the tests, without those marked slow
	@$(BIN)/python -m pytest -q -n 2 $(PYTEST_ARGS)

lint: $(READY) ## formatting, ruff and mypy strict, over code and tests
	@status=0
	$(BIN)/ruff format --check . || status=1
	$(BIN)/ruff check . || status=1
	$(BIN)/mypy || status=1
	exit "$$status"

bench: $(READY) ## measure: every module of tests/bench
	@[ -n "$(BENCHES)" ] || { echo "bench: nothing in tests/bench to run" >&2; exit 2; }
	for name in $(BENCHES); do
		echo "bench: $$name"
		$(BIN)/python -m "tests.bench.$$name"
	done

soak: $(READY) ## 10^5 simulated rounds a game with all faults on: the audit against the oracle
	@$(BIN)/python -m tests.property.soak

soak-live: $(READY) ## an hour at 1,000 events a second with faults, things breaking (MINUTES=60 RATE=1000)
	@$(BIN)/python -m tests.live.soak $(MINUTES) $(RATE)

acceptance: $(READY) ## run the tests marked slow: whole decks, millions of rounds
	@$(BIN)/python -m pytest -q -m slow $(PYTEST_ARGS)

lock: ## settle requirements.lock again from pyproject.toml (asks the package index)
	@scratch=$$(mktemp -d)
	trap 'rm -rf "$$scratch"' EXIT
	$(PYTHON) -m venv "$$scratch/venv"
	"$$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
	cp requirements.lock "$$scratch/requirements.lock" 2>/dev/null || true
	"$$scratch/venv/bin/uv" pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --extra dev \
		--generate-hashes --no-emit-index-url --no-header $(UPGRADE) \
		--output-file "$$scratch/requirements.lock" pyproject.toml
	{
		echo "# Made by \`make lock\` from pyproject.toml, dev extra included: for Python 3.11 and later, on any system."
		cat "$$scratch/requirements.lock"
	} > requirements.lock
	# For the container image, the same pins: what runs, and what builds.
	image() {
		"$$scratch/venv/bin/uv" pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
			--no-emit-index-url --no-header --no-annotate --constraint requirements.lock "$$1" | {
			echo "# Made by \`make lock\`: $$2, with the pins of requirements.lock."
			cat
		} > "$$3"
	}
	image pyproject.toml "what pitproof needs to run" deploy/requirements.lock
	grep -o '"hatchling[^"]*"' pyproject.toml | head -1 | tr -d '"' > "$$scratch/build.in"
	image "$$scratch/build.in" "what builds it" deploy/build.lock

clean: ## remove what was built or cached; .venv stays
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
	find services replay dashboards tests -name __pycache__ -type d -prune -exec rm -rf {} +
