# Two commands are enough: `make demo` and `make test`. Each prepares the machine first.
SWIFT ?= swift
# Kernels in C are worth optimising in debug builds too; the tests decode pictures all the time.
TEST_FLAGS ?=
# How long `make fuzz` runs, all targets together.
SECONDS ?= 600
# Under the sanitizer, tests that compute for a minute starve those whose transfers have time-outs; so they take turns.
NETWORK_TESTS = Tintype(HTTP|Command|)Tests\.
TSAN = TSAN_OPTIONS=suppressions=$(CURDIR)/scripts/tsan-suppressions $(SWIFT) test --sanitize=thread \
	--scratch-path .build-tsan -Xswiftc -DTINTYPE_TSAN

.PHONY: help bootstrap build demo test lint format bench tsan asan fuzz crash-test clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

bootstrap: ## Install the system packages that are missing
	@scripts/bootstrap

build: bootstrap ## Build the command for use
	$(SWIFT) build -c release --product tintype

demo: bootstrap ## Run the main job on embedded pictures; writes demo-output/contact-sheet.png
	$(SWIFT) build --product tintype
	"$$($(SWIFT) build --product tintype --show-bin-path)/tintype" demo

test: bootstrap ## Build and run all tests
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build $(TEST_FLAGS)

lint: ## Check format and warnings
	scripts/lint

format: ## Format the sources in place
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Fuzz

bench: bootstrap ## Measure against hand-written controls, in release builds
	scripts/bench
	scripts/measure-transfers

tsan: bootstrap ## Run the tests under the thread sanitizer, the stress test with 100,000 operations
	$(TSAN) --filter '$(NETWORK_TESTS)' --skip StressTests
	$(TSAN) --skip '$(NETWORK_TESTS)' --skip StressTests
	TINTYPE_STRESS=100000 $(TSAN) --filter StressTests

asan: bootstrap ## Run the tests under the address sanitizer
	ASAN_OPTIONS=allocator_may_return_null=1 \
	LSAN_OPTIONS=suppressions=$(CURDIR)/scripts/lsan-suppressions:print_suppressions=0 $(SWIFT) test --sanitize=address --scratch-path .build-asan $(TEST_FLAGS)

fuzz: bootstrap ## Give the decoders bytes of any kind for SECONDS, all formats in turn
	scripts/fuzz $(SECONDS)

crash-test: bootstrap ## Kill writers of the disk cache, change its bytes, fill its disk; 1,000 rounds, half an hour
	$(SWIFT) build --product CrashTest
	$(CC) -shared -fPIC -o .build/full-disk.so scripts/full-disk.c -ldl
	"$$($(SWIFT) build --show-bin-path)/CrashTest" kills 1000
	"$$($(SWIFT) build --show-bin-path)/CrashTest" full "$(CURDIR)/.build/full-disk.so"
	"$$($(SWIFT) build --show-bin-path)/CrashTest" full
	"$$($(SWIFT) build --show-bin-path)/CrashTest" bytes 1 1

clean: ## Remove what was built
	rm -rf .build .build-* Benchmarks/.build Fuzz/.build demo-output reports
