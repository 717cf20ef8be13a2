# Needs python3 (3.11 or newer) and nothing else; everything goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help

.PHONY: help setup
help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## .venv with the locked packages and the project (instant when nothing changed)
	@$(PYTHON) .ci/bootstrap.py

.PHONY: lock
# Names, versions and hashes only: no index address belongs into a lock file.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-emit-index-url --python-version 3.11 pyproject.toml
lock: ## both lock files again (add UPGRADE=--upgrade for newest versions)
	@$(LOCK) $(UPGRADE) -o requirements.lock
	@$(LOCK) $(UPGRADE) --group dev -c requirements.lock -o requirements-dev.lock
