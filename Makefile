# Needs python3 (3.11 or newer) and nothing else; everything goes into .venv. docs/development.md tells the rest.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest

# Modules that write a committed file when run, and with --check only say whether it is up to date.
GENERATORS := firstfault.agent.report.schema firstfault.evals.attribution firstfault.tools.catalogs.vocabulary \
	firstfault.agent.classes.pages firstfault.evals.words \
	firstfault.agent.settings.page firstfault.evals.gate.pages firstfault.tools.recording.sniffing.reference \
	tests.agent.slack.goldens

.DEFAULT_GOAL := help
SHELL := /bin/bash

# Runs a command and says at the end how long it took.
timed = @from=$$SECONDS; { $(1); }; code=$$?; echo "make $@: $$((SECONDS - from)) s"; exit $$code

.PHONY: help setup lock demo test check fix bench bench-shadow laws attacks kills test-system test-collectors clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## .venv with the locked packages and the project (instant when nothing changed)
	@$(PYTHON) .ci/bootstrap.py

demo: setup ## a real recorded incident, investigated: the report here and in report.html
	$(call timed,$(BIN)/firstfault investigate evals/cases/gpu-079 --html report.html)

test: setup ## every test that needs nothing but .venv
	$(call timed,$(PYTEST) -n 2 --ignore=tests/system)

check: setup ## static only: format, ruff, types, imports, generated files; all of them, whatever fails
	$(call timed,failed=0; \
		$(BIN)/ruff format --check --quiet --output-format concise . || failed=1; \
		$(BIN)/ruff check --quiet --output-format concise . || failed=1; \
		$(BIN)/basedpyright || failed=1; \
		$(BIN)/lint-imports --no-logo || failed=1; \
		for module in $(GENERATORS); do $(BIN)/python -m $$module --check || failed=1; done; \
		(exit $$failed))

fix: setup ## what can be put right without a thought: format, imports, generated files
	$(call timed,$(BIN)/ruff check --fix-only --quiet . ; $(BIN)/ruff format . \
		&& for module in $(GENERATORS); do $(BIN)/python -m $$module || exit 1; done)

bench: setup ## how fast extraction is, beside bare hyperscan and ripgrep
	$(call timed,$(BIN)/python -m firstfault.evals.bench)

bench-shadow: setup ## what a backtest costs per incident at 10, 100 and 1,000 incidents (about ten minutes)
	$(call timed,$(BIN)/python -m firstfault.evals.bench.shadow)

laws: setup ## the laws of the gate with 5,000 examples each, as CI does; `make test` takes fewer
	$(call timed,$(PYTEST) -n 2 --laws tests/properties/test_gate_laws.py)

attacks: setup ## the hostile and metamorphic suites in full, of which `make test` runs a sample
	$(call timed,$(PYTEST) -n 2 --attacks tests/properties)

kills: setup ## the executor killed with SIGKILL at every moment of every plan; `make test` takes one for each plan
	$(call timed,$(PYTEST) -n 2 --dist worksteal --kills tests/acceptance/test_executor_kills.py)

test-system: setup ## tests with real programs: installs Prometheus, Alertmanager and Chromium (Debian, root)
	$(call timed,.ci/system-packages && $(PYTEST) -m system tests/system)

test-collectors: setup ## deploy/collectors as they run: needs fluent-bit (4 or newer) on PATH and systemd-journal-remote
	$(call timed,$(PYTEST) -n 0 -m collector tests/system)

pictures: setup ## what people see in Slack, drawn again into docs/img (needs Chromium)
	$(call timed,$(BIN)/python -m tests.system.slack_pictures)

clean: ## what was made here, .venv included
	$(call timed,rm -rf .venv dist build report.html .pytest_cache .ruff_cache .hypothesis .import_linter_cache \
		&& find . -name __pycache__ -type d -prune -exec rm -rf {} +)

# Names, versions and hashes only: no index address belongs into a lock file.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-emit-index-url \
	--python-version 3.11 pyproject.toml
lock: setup ## both lock files again (UPGRADE=--upgrade for the newest versions)
	$(call timed,$(LOCK) $(UPGRADE) -o requirements.lock \
		&& $(LOCK) $(UPGRADE) --group dev -c requirements.lock -o requirements-dev.lock)
