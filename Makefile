# Two targets are enough to start: `make demo` and `make test`. Each prepares the machine first.
SWIFT ?= swift
# SwiftPM passes traits to the compiler, in the order of a set. If it differed, everything would be compiled again.
BUILD = SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build
# Whether TintypeGTK is built: yes or no. By default, if GTK is installed.
GTK ?= $(shell pkg-config --exists gtk4 2>/dev/null && echo yes)
comma := ,
# The traits for servers need only Swift packages, so they are always tested. The command needs none.
TRAITS = --traits ServiceLifecycle,Tracing,Server$(if $(filter yes,$(GTK)),$(comma)GTK)
# Release builds contain Swift's libraries: they start in less than half of the time, and run where Swift is not installed.
# `make build STATIC=` links them dynamically, for toolchains without the static libraries.
STATIC ?= $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)
RELEASE = -c release $(STATIC)
# Flags of `swift test`, such as TEST_FLAGS='--filter JobTable'.
TEST_FLAGS ?=
# How many tests run at once. Without a limit, all of them do: each one then takes minutes, and the connections of those
# for HTTP are closed meanwhile because they are idle.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 16
# How many minutes a test may take. One suffices on a quiet machine, but other programs may use this one.
export TINTYPE_TIME_LIMIT ?= 5
# The folder of github.com/http-tests/cache-tests, for `make cache-tests`.
CACHE_TESTS ?= ../cache-tests
# Where `make install` installs: $(DESTDIR)$(PREFIX)/bin and so on. DESTDIR is for packagers.
PREFIX ?= /usr/local
DESTDIR ?=
# How many operations each stress test of `make tsan` runs.
STRESS ?= 100000
# How long `make fuzz` runs in total, in seconds.
SECONDS ?= 600
# Under the sanitizer, tests that compute for a minute would starve tests whose transfers have time-outs, so the two
# kinds run one after the other. Most tests of codecs use one thread, where there are no races, so only those that use
# several are named. The threads of raw images are those of LibRaw, which is not instrumented.
NETWORK_TESTS = Tintype(HTTP|Redis|S3|Server|)Tests\.
# Each test of the command starts a process, in seconds under the sanitizer. These have most threads.
NETWORK_TESTS := $(NETWORK_TESTS)|TintypeCommandTests\.(Batch|Fetch|GridAnimations|Interruption|ShowTerminal)Tests
OTHER_TESTS = Tintype(Core|Disk|Sandbox|Shared|Terminal|Tracing|Lifecycle)Tests\.|framesDecodedBySeveralThreads
OTHER_TESTS := $(OTHER_TESTS)|SVGLibraryTests|ColorTests
# Among these, suites that compute for long on one thread, or in other processes.
SERIAL_TESTS = CrashTests|ConvertColorTests|GIFColorTests|KernelAlignmentTests|KernelVariantTests|PlaceholderTests
SERIAL_TESTS := $(SERIAL_TESTS)|ResampleTests|noChangedBitCausesMoreThanAMiss
# The suites of codecs, animations, previews and pipelines that also run with all formats in worker processes.
SANDBOXED_TESTS = TintypeCodecTests\.(AnimationPlayback|Animation|Color|DamageTolerance|Decode|FormatMatrix|Incremental
SANDBOXED_TESTS := $(SANDBOXED_TESTS)[A-Z]*|Limit|Metadata|Orientation|Part|Thumbnail)Tests
SANDBOXED_TESTS := $(SANDBOXED_TESTS)|TintypeTests\.(BrokenTransfer|EndToEnd|GuardedPipeline|Verification)Tests
# Options of `make bench-report`; --update for `make instructions`.
REPORT_FLAGS ?=
INSTRUCTIONS_FLAGS ?=
# Prints failures again at the end.
REPEAT = scripts/check/repeat-failures
# Without GTK, which is not instrumented.
TSAN_FLAGS = --traits ServiceLifecycle,Tracing --sanitize=thread --scratch-path .build-tsan -Xswiftc -DTINTYPE_TSAN
# Prints failures and the result only.
TSAN = TINTYPE_TIME_LIMIT=30 $(REPEAT) $(SWIFT) test --quiet --skip-build $(TSAN_FLAGS)

.PHONY: help bootstrap build install demo docs test gallery gallery-test http2-test lint format bench-setup bench-report instructions tsan asan fuzz crash-test faults \
	cache-tests proxy-cache-tests server-hostile cluster-demo sandbox-test deb deb-test clean

help: ## List the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

bootstrap: ## Install missing system packages
	@scripts/bootstrap

build: bootstrap ## Build the command in release mode
	$(BUILD) $(RELEASE) --product tintype

install: build ## Install the command, its manual page and completions under PREFIX
	scripts/install "$$($(BUILD) -c release --show-bin-path)/tintype" "$(DESTDIR)$(PREFIX)"

demo: bootstrap ## Build the command and run the demo; writes demo-output/contact-sheet.png
	$(BUILD) --product tintype
	"$$($(BUILD) --show-bin-path)/tintype" demo

# The tests of TintypeGTK run GTK's main loop in jobs of the main actor, which other tests use as well, so they run alone.
# TEST_FLAGS selects among the others.
test: bootstrap ## Build and run all tests
	$(BUILD) $(TRAITS) --build-tests
	$(if $(TEST_FLAGS),,scripts/check/public-code "$$($(BUILD) $(TRAITS) --show-bin-path)")
	$(REPEAT) $(SWIFT) test $(TRAITS) --skip-build --quiet --skip TintypeGTKTests $(TEST_FLAGS)
	$(if $(TEST_FLAGS),,TINTYPE_SANDBOX=all $(REPEAT) $(SWIFT) test $(TRAITS) --skip-build --quiet --filter '$(SANDBOXED_TESTS)' \
		--skip 'everyPrefix|yTruncation|[Ff]lipped')
	$(if $(filter yes,$(GTK)),$(if $(TEST_FLAGS),,\
		$(REPEAT) $(SWIFT) test $(TRAITS) --skip-build --quiet --no-parallel --filter TintypeGTKTests))

http2-test: bootstrap ## Run the tests of HTTP with a libcurl from PyPI that is new enough for HTTP/2
	$(BUILD) $(TRAITS) --build-tests
	library=$$(scripts/check/newer-libcurl) && TINTYPE_LIBCURL=$$library \
		$(REPEAT) $(SWIFT) test $(TRAITS) --skip-build --quiet --filter TintypeHTTPTests

gallery: ## Run the example program of TintypeGTK
	scripts/bootstrap --gtk
	$(SWIFT) run $(RELEASE) --traits GTK Gallery

gallery-test: ## Scroll through the gallery under Xvfb, 20 seconds to measure and 20 to check every cell of every frame, twice
	scripts/bootstrap --gtk
	$(BUILD) $(RELEASE) --traits GTK --product GTKTest
	scripts/check/with-screen "$$($(BUILD) -c release --traits GTK --show-bin-path)/GTKTest" gallery 20
	scripts/check/with-screen "$$($(BUILD) -c release --traits GTK --show-bin-path)/GTKTest" views

docs: bootstrap ## Build a static site of the articles and the public interface in reports/docs, with docc of the toolchain
	TRAITS='$(TRAITS)' scripts/docs

lint: ## Check the style rules that a machine can check
	scripts/lint

format: ## Format the sources in place
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples Fuzz

bench-setup: ## Install the peers of `make bench-report`: from PyPI into .venv-bench, and as root from Debian
	scripts/bench/report/setup

bench-report: bootstrap ## Measure everything beside its peers, in release builds; REPORT_FLAGS='--only "C|R"', or --docs
	scripts/bench/report/run $(REPORT_FLAGS)

instructions: bootstrap ## Count the instructions of the hottest paths, and fail if one takes 5 % more than before
	$(BUILD) $(RELEASE) --product BenchmarkProgram
	scripts/check/instructions "$$($(BUILD) -c release --show-bin-path)/BenchmarkProgram" $(INSTRUCTIONS_FLAGS)

tsan: bootstrap ## Run the tests that use several threads under the thread sanitizer; STRESS operations in each stress test
	$(BUILD) $(TSAN_FLAGS) --build-tests
	$(TSAN) --filter '$(NETWORK_TESTS)' --skip StressTests
	$(TSAN) --filter '$(OTHER_TESTS)' --skip 'StressTests|$(SERIAL_TESTS)'
	TINTYPE_STRESS=$(STRESS) $(TSAN) --filter StressTests

asan: bootstrap ## Run the tests under the address sanitizer
	ASAN_OPTIONS=allocator_may_return_null=1:suppressions=$(CURDIR)/scripts/check/asan-suppressions \
	LSAN_OPTIONS=suppressions=$(CURDIR)/scripts/check/lsan-suppressions:print_suppressions=0 TINTYPE_TIME_LIMIT=30 \
	$(SWIFT) test --sanitize=address --scratch-path .build-asan $(TEST_FLAGS)

fuzz: bootstrap ## Fuzz every decoder and HTTP connections in turn, for SECONDS in total
	scripts/check/fuzz $(SECONDS)

crash-test: bootstrap ## Kill writers of the disk cache, corrupt its files, fill its disk; takes half an hour
	$(BUILD) --product CrashTest
	$(CC) -shared -fPIC -o .build/full-disk.so scripts/check/full-disk.c -ldl
	"$$($(BUILD) --show-bin-path)/CrashTest" kills 1000
	"$$($(BUILD) --show-bin-path)/CrashTest" full "$(CURDIR)/.build/full-disk.so"
	"$$($(BUILD) --show-bin-path)/CrashTest" full
	"$$($(BUILD) --show-bin-path)/CrashTest" bytes 1 1

sandbox-test: bootstrap ## Show that decoders that misbehave are contained, also under Docker; that nothing is left of 10,000 images
	$(BUILD) $(RELEASE) --product SandboxProgram
	"$$($(BUILD) -c release --show-bin-path)/SandboxProgram" contain
	scripts/check/sandbox-hosts "$$($(BUILD) -c release --show-bin-path)/SandboxProgram"
	"$$($(BUILD) -c release --show-bin-path)/SandboxProgram" crowd 10000

faults: bootstrap ## Load from a misbehaving origin for SECONDS, under a memory limit
	$(BUILD) $(RELEASE) --product FaultTest
	"$$($(BUILD) -c release --show-bin-path)/FaultTest" run $(SECONDS)

cache-tests: bootstrap ## Run the suite of HTTP cache tests in CACHE_TESTS with node, and print its tables
	$(BUILD) --product CacheProxy
	scripts/check/cache-tests "$(CACHE_TESTS)" "$$($(BUILD) --show-bin-path)/CacheProxy"

proxy-cache-tests: bootstrap ## Run the suite in CACHE_TESTS against tintype-server as a reverse proxy, and against nginx and Varnish
	$(BUILD) $(TRAITS) --product tintype-server
	scripts/check/proxy-cache-tests "$(CACHE_TESTS)" "$$($(BUILD) $(TRAITS) --show-bin-path)/tintype-server"

server-hostile: bootstrap ## Attack tintype-server in a network of its own, as the superuser
	$(BUILD) $(TRAITS) --product tintype-server
	scripts/check/server-hostile "$$($(BUILD) $(TRAITS) --show-bin-path)/tintype-server"

# dpkg-buildpackage leaves its results beside the folder of the project.
deb: bootstrap ## Build Debian packages of the command and the server in .build/packages
	scripts/bootstrap --deb
	dpkg-buildpackage --build=binary --unsigned-source --unsigned-changes
	mkdir -p .build/packages
	mv ../tintype_* ../tintype-server_* .build/packages/

deb-test: ## Install the packages of `make deb` in a new Debian, use and purge them, as the superuser
	scripts/check/packages .build/packages

# Of release builds the demo uses what is there, because they take long.
cluster-demo: bootstrap ## Kill and stop parts of a cluster of image servers under load; writes demo-output/cluster/cluster.png
	[ -x .build/release/tintype-server ] || $(BUILD) $(TRAITS) --product tintype-server
	[ -x .build/release/tintype ] || $(BUILD) $(TRAITS) --product tintype
	scripts/cluster/run

clean: ## Remove build products
	rm -rf .build .build-* .venv-bench* Fuzz/.build demo-output reports
