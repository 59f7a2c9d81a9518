# The documented way in. All output goes to bin/ and results/out/.

GO ?= go
OUT ?= results/out
FUZZTIME ?= 30s
TORTURE ?= 10m
PYTHON ?= python3
MKDOCS ?= mkdocs
SPEED_DATA ?= results/out/speed
export GOFLAGS := -trimpath -buildvcs=false
COMPANION := experiments/companion.yaml experiments/companion-pixels.yaml experiments/companion-forms.yaml experiments/companion-hfe.yaml experiments/tabular.yaml

.DEFAULT_GOAL := help
.PHONY: help reproduce companion docs answer-all leaderboard quick example test study browser editor gallery site build lint race fuzz torture bench speed release-check size golden generate draw wheel wheels bundle notice python-methods python-test clean

# What contributors need. The other targets are in CONTRIBUTING.md, or are called by .ci/run.
help:
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | sort | expand -t 16

# The paper: all its settings, tables and figures, beside the published numbers.
# Settings without arrays in data/arrays are simulated, and say so. Before it, the
# companion: measured.
reproduce: companion ## the tables and figures of the paper, beside its printed numbers
	bin/qats paper reproduce --out $(OUT)

# The page of the leaderboard: the methods of the project on the tier lite, anew where they changed, and the entries in
# submissions. The first time takes half an hour of processor time.
leaderboard: build
	bin/qats board page --run

# The paper on the first rows of each set: a check that all works, not a result.
quick: build
	bin/qats paper reproduce --out $(OUT)/quick --quick

# The paper's protocol on real networks, whose outputs come with the project.
companion: build ## calibrators on the networks that come with the project
	bin/qats run $(COMPANION) --out $(OUT)/companion
	bin/qats report $(COMPANION) --out $(OUT)/companion
	bin/qats paper diff $(COMPANION) --out $(OUT)/companion > $(OUT)/companion/diff.txt

# A worked example on a few simulated arrays that come with the project.
example: build
	bin/qats run experiments/example.yaml --out $(OUT)/example
	bin/qats report experiments/example.yaml --out $(OUT)/example

test: ## the tests
	$(GO) vet ./...
	$(GO) vet -tags torture ./cmd/qats
	$(GO) test ./...

# The tests of the studies, the slow ones too. Studies are a module of their own: what is
# measured once and shown in the documents. Without packages of Python their tests are
# skipped, and it says so.
study: build
	cd studies && $(GO) vet ./... && $(GO) test -v ./...
	if $(PYTHON) -c 'import numpy, pytest' 2> /dev/null; then QATS_BIN= PYTHONPATH=python $(PYTHON) -m pytest -q -rs -p no:cacheprovider studies/peers; \
	else echo "skipped: studies/peers, which need numpy and pytest"; fi
	if $(PYTHON) -c 'import numpy, torch, PIL, yaml, pytest' 2> /dev/null; then cd studies && $(PYTHON) -m pytest -q -p no:cacheprovider zoo/tests; \
	else echo "skipped: studies/zoo/tests, which need numpy, torch, PIL, yaml and pytest"; fi

# The page of an output folder in Chromium, with axe-core. These tests are a module of
# their own. Without chromium or npm they are skipped, and say so.
browser:
	cd experiments/report/page/browser && { npm install --no-save --no-audit --no-fund --silent axe-core@4.14.1 || echo "no axe-core: its test is skipped"; }
	cd experiments/report/page/browser && $(GO) vet ./... && $(GO) test -v ./...

# What an editor makes of the schema of specs: completion, and mistakes at their lines.
# These tests are a module of their own. Without npm they are skipped, and say so.
editor:
	cd experiments/spec/editor && { npm install --no-save --no-audit --no-fund --silent yaml-language-server@1.19.2 || echo "no yaml-language-server: its tests are skipped"; }
	cd experiments/spec/editor && $(GO) vet ./... && $(GO) test -v ./...

# The pictures of the gallery, and what else its page shows, from networks of the project.
gallery: build
	bin/qats run gallery --quiet --out $(OUT)/gallery
	bin/qats report gallery --quiet --out $(OUT)/gallery --figure-format svg
	bin/qats compare --out $(OUT)/gallery > $(OUT)/gallery/compare.txt
	bin/qats doc figures --json > $(OUT)/gallery/figures.json

# The documents as a site, in results/out/site: open its index.html. It needs the packages of .ci/site.txt.
site: gallery
	NO_MKDOCS_2_WARNING=1 $(MKDOCS) build

# With the commit, which qats --version prints and run.json holds.
build: ## bin/qats
	$(GO) build -buildvcs=auto -o bin/qats ./cmd/qats

lint: ## go vet, staticcheck, gofmt; ruff and mypy where they are installed
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -d $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags torture ./cmd/qats
	$(GO) tool staticcheck ./...
	cd studies && $(GO) vet ./... && $$(cd .. && $(GO) tool -n staticcheck) ./...
	cd experiments/spec/editor && $(GO) vet ./...
	cd experiments/report/page/browser && $(GO) vet ./...
	@if command -v ruff > /dev/null; then cd python && ruff check --no-cache . && ruff format --no-cache --check .; else echo "skipped: ruff on python, which is not installed"; fi
	@if command -v mypy > /dev/null; then cd python && mypy --cache-dir /dev/null; else echo "skipped: mypy on python, which is not installed"; fi

race:
	$(GO) test -race ./...

# Fuzzes every reader of input for FUZZTIME, all of them even if one fails. An input that
# is interesting is made smaller in 100 runs, not for a minute, as is the default. Go 1.26
# may end a target that found nothing with the error of its own deadline
# (go.dev/issue/75804): that is no failure.
fuzz:
	@log=$$(mktemp); failed=; \
	packages=$$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); \
	test -n "$$packages" || { echo "no fuzz targets"; exit 1; }; \
	for p in $$packages; do \
	  for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' $$p/*_test.go); do \
	    if $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $$p > $$log 2>&1 || \
	      { grep -q '^    context deadline exceeded$$' $$log && ! grep -q 'Failing input written' $$log; }; \
	    then echo "$$p $$f: $$(grep execs $$log | tail -n 1)"; \
	    else echo "$$p $$f: FAIL"; cat $$log; failed="$$failed $$p:$$f"; fi; \
	  done; \
	done; rm -f $$log; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

# Kills, full disks, changing and hostile data, damaged stores, mutated models and
# specs, misbehaving programs, at random for TORTURE: see docs/evidence.md#reliability.
torture:
	TORTURE=$(TORTURE) $(GO) test -tags torture -run '^TestTorture$$' -count 1 -timeout 0 -v ./cmd/qats

# Parts of qats, for go tool benchstat.
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# qats beside numpy, scipy, scikit-learn, torch and C, if they are installed:
# see docs/evidence.md#speed. Draws 3.3 GB and takes an hour.
speed:
	$(PYTHON) studies/speed/table.py $(SPEED_DATA)

# Compiling goreleaser takes some minutes the first time.
release-check:
	GOFLAGS= $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0 check

# Lines, files and exported names of Go, and what a small run enters, beside the last tag v*, or main. It has no limit.
size:
	$(GO) run ./docs/size

# Rewrites the golden files; read the diff before committing it.
golden: ## write the golden files and generated pages again; read the diff
	$(GO) test ./calib/all ./metrics -run Facts -update # first: docs/methods.md is made from them
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') -update
	! command -v $(PYTHON) > /dev/null || $(MAKE) python-methods

# Writes the vector code again; its generators are a module of their own.
generate:
	cd internal/kernel/gen && $(GO) run ./softmax ../softmax/kernels_amd64.s
	cd internal/kernel/gen && $(GO) run ./linear ../linear/kernels_amd64.s

# The Python package with the program: for this system, and for five systems with its sources (docs/python.md).
wheel: ## the Python package with the program, in dist/
	$(PYTHON) python/packing.py wheel dist

wheels:
	$(PYTHON) python/packing.py wheels dist

# The release asset of data/bundle, whose digest is in python/qatsbench/datasets/bundle.py.
bundle:
	$(PYTHON) python/tools/bundle.py dist

# The licences of the modules that the program links, after a change of go.mod. It compiles go-licenses.
notice:
	$(PYTHON) python/tools/notice.py

# The estimators of the Python package, from what the program says of its methods.
python-methods: build
	$(PYTHON) python/tools/generate.py bin/qats

# The tests of the Python package, with the program of this checkout.
python-test: build
	QATS_BIN= PYTHONPATH=python $(PYTHON) -m pytest -q python/tests

# Draws the simulated arrays of data/example again.
draw:
	$(GO) run ./data/simulate/example data/example

clean: ## remove bin/ and results/out/
	rm -rf bin $(OUT)

include docs/tables.mk
