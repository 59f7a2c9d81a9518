# The documented way in. All output goes to bin/ and results/out/.

GO ?= go
OUT ?= results/out
FUZZTIME ?= 30s
TORTURE ?= 10m
PYTHON ?= python3
SPEED_DATA ?= results/out/speed
export GOFLAGS := -trimpath -buildvcs=false
COMPANION := experiments/companion.yaml experiments/companion-pixels.yaml experiments/companion-forms.yaml experiments/companion-hfe.yaml

.PHONY: reproduce companion findings quick example test browser editor build lint race fuzz torture bench speed golden generate draw wheels python-methods python-test clean

# The paper: all its settings, tables and figures, beside the published numbers.
# Settings without arrays in data/arrays are simulated, and say so. Before it, the
# companion: measured.
reproduce: companion
	bin/qats paper reproduce --out $(OUT)

XRAYS = $(patsubst %/cal,%,$(wildcard data/bundle/pneumoniamnist-28/*/cal))

# The numbers of the documents: from the networks of the project, anew, and from those of
# others in REAL, a folder of arrays (data/real), of the tiny language model in LANGUAGE (docs/language.md), and the
# results of CalArena in CALARENA, where they are given; else theirs stay as they are in results/shown/facts.csv.
findings: companion
	bin/qats compare --against qats --spec experiments/companion.yaml --spec experiments/companion-pixels.yaml --out $(OUT)/companion > /dev/null
	bin/qats try data/bundle/20newsgroups-body/transformer-d64-l2 --quiet > $(OUT)/try.txt
	bin/qats run experiments/readings.yaml --data data/bundle --out $(OUT)/readings
	bin/qats run experiments/label-shift.yaml --out $(OUT)/label-shift
	bin/qats run experiments/full-width.yaml --out $(OUT)/full-width
	bin/qats run experiments/segmentation.yaml --out $(OUT)/segmentation
	mkdir -p $(OUT)/certain
	for n in $(XRAYS); do \
	  bin/qats fit qats --logits $$n/cal/logits.npy --labels $$n/cal/labels.npy -o $(OUT)/certain/$$(basename $$n).json && \
	  bin/qats apply $(OUT)/certain/$$(basename $$n).json --logits $$n/test/logits.npy -o $(OUT)/certain/$$(basename $$n).npy || exit 1; \
	done
	$(GO) run ./docs/certain $(OUT)/certain data/bundle/pneumoniamnist-28 > $(OUT)/certain.csv
ifdef REAL
	bin/qats run experiments/real.yaml --data $(REAL) --out $(OUT)/real
	bin/qats compare qats --against ts --metric ece,nll,brier --spec experiments/real.yaml --data $(REAL) --out $(OUT)/real-scores > /dev/null
	bin/qats run experiments/real-made.yaml --data $(REAL) --out $(OUT)/real-made
	bin/qats run experiments/readings.yaml --data $(REAL) --out $(OUT)/readings-real
	bin/qats compare qats --against ts --metric ece --splits 20 --spec experiments/readings.yaml --data $(REAL) --json --out $(OUT)/splits > $(OUT)/splits.json
endif
ifdef LANGUAGE
	bin/qats run experiments/language.yaml --data $(LANGUAGE) --out $(OUT)/language
endif
ifdef CALARENA
	mkdir -p $(OUT)/calarena
	bin/qats compare --table '$(CALARENA)/cv-multiclass/*.csv' --value '*_brier' --metric brier --against TS --block network --json > $(OUT)/calarena/brier-network.json
	bin/qats compare --table '$(CALARENA)/cv-multiclass/*.csv' --value '*_brier' --metric brier --against TS --json > $(OUT)/calarena/brier-dataset.json
	bin/qats compare --table '$(CALARENA)/cv-multiclass/*.csv' --value '*_logloss' --metric nll --against TS --block network --json > $(OUT)/calarena/nll-network.json
	bin/qats compare --table '$(CALARENA)/cv-multiclass/*.csv' --value '*_ece-15' --metric ece_tm --against TS --block network --json > $(OUT)/calarena/ece-network.json
	bin/qats compare --table '$(CALARENA)/imagenet-multiclass/*.csv' --value '*_brier' --metric brier --against TS --block network --json > $(OUT)/calarena/imagenet-brier-network.json
endif
	$(GO) run ./results/findings -from $(OUT)

# The same on the first rows of each set: a check that all works, not a result.
quick: build
	bin/qats paper reproduce --out $(OUT)/quick --quick

# The paper's protocol on real networks, whose outputs come with the project.
companion: build
	bin/qats run $(COMPANION) --out $(OUT)/companion
	bin/qats report $(COMPANION) --out $(OUT)/companion
	bin/qats paper diff $(COMPANION) --out $(OUT)/companion > $(OUT)/companion/diff.txt

# A worked example on a few simulated arrays that come with the project.
example: build
	bin/qats run experiments/example.yaml --out $(OUT)/example
	bin/qats report experiments/example.yaml --out $(OUT)/example

test:
	$(GO) vet ./...
	$(GO) vet -tags torture ./cmd/qats
	$(GO) test ./...

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

# With the commit, which qats --version prints and run.json holds.
build:
	$(GO) build -buildvcs=auto -o bin/qats ./cmd/qats

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -d $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags torture ./cmd/qats
	$(GO) tool staticcheck ./...

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
# specs, misbehaving programs, at random for TORTURE: see docs/reliability.md.
torture:
	TORTURE=$(TORTURE) $(GO) test -tags torture -run '^TestTorture$$' -count 1 -timeout 0 -v ./cmd/qats

# Parts of qats, for go tool benchstat.
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# qats beside numpy, scipy, scikit-learn, torch and C, if they are installed:
# see docs/speed.md. Draws 3.3 GB and takes an hour.
speed:
	$(PYTHON) results/speed/table.py $(SPEED_DATA)

# Rewrites the golden files; read the diff before committing it.
golden:
	$(GO) test ./calib/all ./metrics -run Facts -update # first: docs/methods.md is made from them
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') -update
	! command -v $(PYTHON) > /dev/null || $(MAKE) python-methods

# Writes the vector code again; its generators are a module of their own.
generate:
	cd internal/kernel/gen && $(GO) run ./softmax ../softmax/kernels_amd64.s
	cd internal/kernel/gen && $(GO) run ./linear ../linear/kernels_amd64.s

# The Python package for five systems, with the program, and its sources: see docs/python.md.
wheels:
	$(PYTHON) python/packing.py wheels dist

# The estimators of the Python package, from what the program says of its methods.
python-methods: build
	$(PYTHON) python/tools/generate.py bin/qats

# The tests of the Python package, with the program of this checkout.
python-test: build
	QATS_BIN= PYTHONPATH=python $(PYTHON) -m pytest -q python/tests

# Draws the simulated arrays of data/example again.
draw:
	$(GO) run ./data/simulate/example data/example

clean:
	rm -rf bin $(OUT)
