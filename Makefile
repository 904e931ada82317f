# The two commands: `make run` and `make test`. Both install what is missing, build and go.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
ARGS ?=
SECONDS ?= 60
SEED ?= 1
SEEDS ?= 2000
DAYS ?= 1
KILLS ?= 500
MINUTES ?= 30

RELEASE := build/release
NODE := web/node_modules/.bin/node

help: ## this list
	@echo "rouse: durable agent conversations that wake up on their own"
	@echo
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## install what is missing, build, serve http://127.0.0.1:18888 (ARGS="--listen …" for more)
	@scripts/install build
	@scripts/build release rouse
	@exec $(RELEASE)/rouse serve $(ARGS)

build: ## the release binary, build/release/rouse
	@scripts/install build
	@scripts/build release rouse

test: ## every suite: unit, simulator, end to end, browser, sanitizers, fuzzers, house rules
	@scripts/install build test lint bench
	@scripts/test

bench: ## every benchmark beside its limit, in 15 minutes: bench/results.json, build/bench/report.html
	@scripts/install build bench
	@scripts/build release rouse benchmarks
	@$(NODE) bench/bench.ts

bench-full: ## the same with millions of rows; takes an hour, and space for 10 GB
	@scripts/install build bench
	@scripts/build release rouse benchmarks
	@$(NODE) bench/bench.ts --full

torture: ## KILLS (500) deaths of the real server under load; TORTURE_SEED=… for other moments
	@scripts/install build test
	@scripts/build release rouse
	@KILLS=$(KILLS) $(NODE) --test --test-reporter=spec tests/e2e/torture_kill.test.ts

soak: ## MINUTES (30) of everything at once: memory, handles and sizes stay flat
	@scripts/install build test
	@scripts/build release rouse
	@MINUTES=$(MINUTES) $(NODE) tests/soak/soak.ts

sim: ## the world in a box for SEEDS (2000) seeds of DAYS (1), with all that goes wrong
	@scripts/install build test
	@scripts/build release rouse-sim
	@$(RELEASE)/rouse-sim --seed $(SEED) --seeds $(SEEDS) --days $(DAYS)

asan: ## unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/install build test
	@scripts/build asan unit_tests && ctest --preset asan

tsan: ## unit tests of the rooms with threads under ThreadSanitizer
	@scripts/install build test
	@scripts/build tsan base_test net_test store_test && ctest --preset tsan -R '^(base|net|store)$$'

fuzz: ## every fuzzer for SECONDS (60) each
	@scripts/install build test
	@scripts/build asan fuzzers && scripts/fuzz $(SECONDS)

fmt: ## format the C++ sources
	@scripts/install lint
	@git ls-files -co --exclude-standard '*.cc' '*.h' | xargs clang-format-19 -i

lint: ## house rules, format and clang-tidy
	@scripts/install build lint
	@scripts/build release web_assets
	@$(NODE) tests/tidy/tidy.ts
	@scripts/lint

clean: ## remove build output
	@rm -rf build web/node_modules web/dist

.PHONY: help run build test bench bench-full torture soak sim asan tsan fuzz fmt lint clean
