# Keyward. `make` alone lists what there is.
#
# Every recipe longer than a line or two lives in scripts/, where it can be
# run by itself and is checked by shellcheck.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# For `make run`; another port goes with LISTEN=127.0.0.1:8090.
LISTEN  ?= 127.0.0.1:8080
DATA    ?= data
# How long each fuzz target runs.
FUZZTIME ?= 3s

# Go needs a home for its caches. An empty environment gets one in the tree.
ifeq ($(strip $(HOME)),)
export HOME := $(CURDIR)/.cache/home
endif
export VERSION LISTEN DATA FUZZTIME

.DEFAULT_GOAL := help
.PHONY: help run build ui ui-dev sizes test test-all mutants check unit test-engines fuzz e2e bench screenshots ui-figures generate man packages fmt clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Install what is missing, build, and run server, agent and a virtual token
	@scripts/install-deps run
	@$(MAKE) --no-print-directory build
	@exec scripts/run

build: ## Build the web pages, and the static binaries into bin/
	@scripts/build

ui: ## Build the web pages alone, if something changed
	@scripts/ui

ui-dev: ## Serve the web pages from ui/ as they change, beside SITE_URL=http://localhost:5173 make run
	@scripts/node-modules ui
	@cd ui && npm run --silent dev

sizes: ## Say what the first load of the web pages weighs
	@scripts/ui
	@cd ui && npm run --silent sizes

test: ## What every change runs: checks, unit, server and end-to-end tests
	@scripts/install-deps test
	@scripts/test

test-all: ## Everything, also what is slow and rare: kills at every step, all engines, fuzzing
	@scripts/install-deps test-all
	@scripts/test all

mutants: ## Small faults, one at a time: each must be noticed by a test of make test
	@scripts/install-deps test
	@scripts/mutants

check: ## Formatting, lint, generated code, go.mod, scripts, other platforms
	@scripts/check

unit: ## Unit and server tests, raced where goroutines are started
	@scripts/unit

test-engines: ## What stands on a database and a vault, on all four pairs of engines
	@scripts/install-deps test
	@scripts/test-engines

fuzz: ## Run every fuzz target for FUZZTIME (default 3s)
	@scripts/fuzz

e2e: ## End-to-end tests of the built binaries
	@scripts/e2e

bench: ## Benchmarks, and the load run; BESIDE=../before: the load run beside another checkout
	@scripts/bench

screenshots: ## Pictures of every page into .cache/screenshots
	@scripts/install-deps test
	@scripts/screenshots

ui-figures: ## What the pages weigh, how quickly they load, what axe-core finds
	@scripts/install-deps test
	@scripts/ui-figures

generate: ## Write the generated code and the OpenAPI files anew
	@scripts/generate

man: ## Write a man page for each command into dist/man/
	@mkdir -p dist/man
	@for program in keyward keyward-agent keyward-licensetool; do go run -tags man ./cmd/$$program dist/man || exit; done

packages: ## Build packages for Debian and Red Hat's family, and archives for macOS and Windows, into dist/packages/
	@scripts/install-deps packages
	@scripts/packages

fmt: ## Format the Go code and the web pages
	gofmt -w $(wildcard cmd internal test)
	@scripts/node-modules ui
	cd ui && npm run --silent format

clean: ## Remove what was built; the data directory stays
	rm -rf bin .cache/run .cache/check
	find internal/web/dist -mindepth 1 -not -name .keep -delete
