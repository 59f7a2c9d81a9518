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

.PHONY: reproduce companion docs answer-all leaderboard quick example test study browser editor gallery site build lint race fuzz torture bench speed release-check golden generate draw wheel wheels python-methods python-test clean

# The paper: all its settings, tables and figures, beside the published numbers.
# Settings without arrays in data/arrays are simulated, and say so. Before it, the
# companion: measured.
reproduce: companion
	bin/qats paper reproduce --out $(OUT)

# The tables of the documents: from the networks of the project, anew, and from those of others in REAL, a
# folder of arrays (data/real), with those of WILD (data/wild) in the answer, of the tiny language model in LANGUAGE (docs/recipes.md), and the results of
# CalArena in CALARENA, where they are given; else their files in results/shown stay as they are.
SHOWN := results/shown
# Networks of several classes, for docs/formats.md.
ALONE := $(addprefix 20newsgroups-body/,mlp-tfidf-h128 transformer-d64-l2) \
	$(addprefix cifar10-jpeg/,densenet121-k32 resnet50-w64 vgg7-w32 vit-p4-d96-l4) $(addsuffix /mlp,ames letter marketing satimage)
SCORES := ece,aece,nll,brier
IMAGES := cifar10-jpeg,cifar10-jpeg-lt-r10,cifar10-jpeg-lt-r100,pneumoniamnist-28
ANSWER := ece,aece,ece_debiased,nll,brier
CLEAN := $(IMAGES),20newsgroups-body,camvid-240

# $(call tables,SPEC,FOLDER,NAMES,DATA) runs a spec, and $(call kept,FOLDER,FILES) keeps files of a run;
# $(call against,FILE,KINDS,FLAGS) keeps objects of a comparison.
kept = mkdir -p $(SHOWN)/$(1) && cp $(addprefix $(OUT)/$(1)/,$(2)) $(SHOWN)/$(1)
define tables
	bin/qats run experiments/$(1).yaml $(4) --out $(OUT)/$(2)
	bin/qats report experiments/$(1).yaml --out $(OUT)/$(2) --figure-format svg > /dev/null
	$(call kept,$(2),$(patsubst %,tables/$(1)-%.csv,$(3)))
endef
against = mkdir -p $(dir $(SHOWN)/$(1)) && bin/qats compare --json $(3) > $(OUT)/compare.json && grep -E '"kind":"($(2))"' $(OUT)/compare.json > $(SHOWN)/$(1)
# $(call answer,FOLDER) judges the methods against TS and against QaTS, and describes QaTS against TS over all blocks and by domain.
define answer
	mkdir -p $(SHOWN)/$(1)
	for d in '' images text 'tables and signals'; do bin/qats compare qats --against ts --metric $(ANSWER) --json $${d:+--domain "$$d"} --out $(OUT)/$(1) || exit; done > $(OUT)/compare.json
	grep '"kind":"method"' $(OUT)/compare.json > $(SHOWN)/$(1)/qats.json
	$(call against,$(1)/ts.json,statement|verdict,--against ts --metric $(ANSWER) --out $(OUT)/$(1))
	$(call against,$(1)/beside-qats.json,statement|verdict,--against qats --metric $(ANSWER) --out $(OUT)/$(1))
	$(call against,$(1)/statement.json,statement,--against ts --out $(OUT)/$(1))
	$(call against,$(1)/base-rate.json,statement|verdict,base-rate --against ts --metric $(ANSWER) --out $(OUT)/$(1))
	bin/qats compare --against ts --metric nll,ece --out $(OUT)/$(1) > /dev/null
	$(call kept,$(1),compare/nll-measured-differences.svg compare/ece-measured-differences.svg)
endef
others = $(call against,calarena/$(1).json,ranking|statement|verdict,--table '$(CALARENA)/$(2)/*.csv' --value '*_$(3)' --metric $(4) --against TS $(5))

docs: companion
	$(call kept,companion,$(patsubst %,tables/companion-%.csv,groups groups-band shift pixels-ece hfe-ece) $(patsubst %,figures/companion-%.svg,quantile-gap-grid-measured severity-measured reliability-20newsgroups-body-transformer-d64-l2))
	$(call against,companion/clean.json,method,--against qats --spec experiments/companion.yaml --spec experiments/companion-pixels.yaml --dataset $(CLEAN) --out $(OUT)/companion)
	$(call against,companion/corrupted.json,method,--against qats --spec experiments/companion.yaml --dataset cifar10-jpeg-c --out $(OUT)/companion)
	sed -n '/^Claims of the text/,/^$$/p' $(OUT)/companion/diff.txt > $(SHOWN)/companion/claims.txt
	bin/qats paper audit | sed -n '1p; /^13/,/^$$/p' > $(SHOWN)/audit.txt
	bin/qats try data/bundle/20newsgroups-body/transformer-d64-l2 --quiet | sed -E 's/ +(fit|<?[0-9.]+ m?s)$$//; 13q' > $(SHOWN)/try.txt
	$(call tables,readings,readings,own-ece own-aece x-rays-nll,--data data/bundle)
	$(call against,readings/qats.json,method|warning,qats --against ts --metric $(SCORES) --out $(OUT)/readings)
	$(call tables,label-shift,label-shift,means-ece means-accuracy means-nll)
	$(call tables,full-width,full-width,networks networks-band networks-accuracy shift)
	$(call kept,full-width,figures/full-width-severity-measured.svg)
	$(call against,full-width/ts.json,method,qats qats-free hfe --against ts --metric ece --dataset $(IMAGES) --out $(OUT)/full-width)
	$(call tables,segmentation,segmentation,ece ece_classwise)
	$(call kept,segmentation,classes.csv)
	bin/qats run experiments/answer.yaml --out $(OUT)/answer
	$(call answer,answer)
	cd studies && $(GO) run ./alone $(ALONE:%=../data/bundle/%) > ../$(SHOWN)/alone.csv
	cd studies && $(GO) run ./certain ../data/bundle/pneumoniamnist-28/*-* > ../$(SHOWN)/certain.csv
ifdef REAL
	$(call tables,real,real,mean-ece mean-aece,--data $(REAL))
	$(call kept,real,$(patsubst %,figures/real-%.svg,quantile-gap-cifar100-lt-r100-resnet32 rank-bins reliability-cifar10-resnet50))
	bin/qats compare --against qats --metric $(SCORES) --spec experiments/real.yaml --data $(REAL) --out $(OUT)/real > /dev/null
	$(call kept,real,compare/ece-measured-differences.svg compare/ece-measured-ranks.svg)
	$(call against,real/all.json,method|ranking|power,--against qats --metric $(SCORES) --spec experiments/real.yaml --data $(REAL) --out $(OUT)/real)
	$(call against,real/qats.json,method|warning,qats --against ts --metric $(SCORES) --spec experiments/real.yaml --data $(REAL) --out $(OUT)/real)
	$(call against,real/ts-guo50.json,method,ts-guo50 --against ts --metric ece --spec experiments/real.yaml --data $(REAL) --out $(OUT)/real)
	bin/qats paper diff experiments/real.yaml --out $(OUT)/real | sed -n '/^Claims of the text/,/^$$/p' > $(SHOWN)/real/claims.txt
	$(MAKE) answer-all
	$(call tables,real-made,real-made,ece band shift,--data $(REAL))
	$(call kept,real-made,figures/real-made-severity-measured.svg)
	$(call tables,readings,readings-real,others-ece others-aece,--data $(REAL))
	$(call against,readings-real/ts.json,method,--against ts --metric ece --out $(OUT)/readings-real)
	$(call against,real/splits.json,splits,qats --against ts --metric ece --splits 20 --spec experiments/readings.yaml --data $(REAL) --out $(OUT)/splits)
endif
ifdef LANGUAGE
	$(call tables,language,language,ece rmsce brier nll accuracy band,--data $(LANGUAGE))
endif
ifdef CALARENA
	$(call others,brier-network,cv-multiclass,brier,brier,--block network)
	$(call others,brier-dataset,cv-multiclass,brier,brier)
	$(call others,nll-network,cv-multiclass,logloss,nll,--block network)
	$(call others,ece-network,cv-multiclass,ece-15,ece_tm,--block network)
	$(call others,imagenet-brier-network,imagenet-multiclass,brier,brier,--block network)
	$(call others,multiclass-brier,*-multiclass,brier,brier)
	$(call others,multiclass-nll,*-multiclass,logloss,nll)
	$(call others,binary-brier,*-binary,brier,brier)
	$(call others,binary-nll,*-binary,logloss,nll)
	$(call others,binary-ece,*-binary,ece-15,ece_tm)
endif
	$(GO) run ./docs/tables

# The answer over the networks of the project and those of others in REAL and WILD: a part of docs.
answer-all: build
	bin/qats run experiments/answer.yaml $(patsubst %,--data %,$(REAL) $(WILD)) --out $(OUT)/answer-all
	$(call answer,answer-all)

# The page of the leaderboard: the methods of the project on the tier lite, anew where they changed, and the entries in
# submissions. The first time takes half an hour of processor time.
leaderboard: build
	bin/qats leaderboard --run

# The paper on the first rows of each set: a check that all works, not a result.
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
build:
	$(GO) build -buildvcs=auto -o bin/qats ./cmd/qats

lint:
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
# specs, misbehaving programs, at random for TORTURE: see docs/reliability.md.
torture:
	TORTURE=$(TORTURE) $(GO) test -tags torture -run '^TestTorture$$' -count 1 -timeout 0 -v ./cmd/qats

# Parts of qats, for go tool benchstat.
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# qats beside numpy, scipy, scikit-learn, torch and C, if they are installed:
# see docs/speed.md. Draws 3.3 GB and takes an hour.
speed:
	$(PYTHON) studies/speed/table.py $(SPEED_DATA)

# Compiling goreleaser takes some minutes the first time.
release-check:
	GOFLAGS= $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0 check

# Rewrites the golden files; read the diff before committing it.
golden:
	$(GO) test ./calib/all ./metrics -run Facts -update # first: docs/methods.md is made from them
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') -update
	! command -v $(PYTHON) > /dev/null || $(MAKE) python-methods

# Writes the vector code again; its generators are a module of their own.
generate:
	cd internal/kernel/gen && $(GO) run ./softmax ../softmax/kernels_amd64.s
	cd internal/kernel/gen && $(GO) run ./linear ../linear/kernels_amd64.s

# The Python package with the program: for this system, and for five systems with its sources (docs/python.md).
wheel:
	$(PYTHON) python/packing.py wheel dist

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
