# The Makefile includes this file, whose targets are docs and answer-all.
#
# The tables of the documents: from the networks of the project, anew, and from those of others in REAL, a
# folder of arrays (data/real), with those of WILD (data/wild) in the answer, of the tiny language model in LANGUAGE (docs/compare.md), and the results of
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
	for d in '' images text 'tables and signals'; do bin/qats compare qats --against ts --metric $(ANSWER) --json $${d:+--only "domain=$$d"} --out $(OUT)/$(1) || exit; done > $(OUT)/compare.json
	grep '"kind":"method"' $(OUT)/compare.json > $(SHOWN)/$(1)/qats.json
	$(call against,$(1)/ts.json,statement|verdict,--against ts --metric $(ANSWER) --out $(OUT)/$(1))
	$(call against,$(1)/beside-qats.json,statement|verdict,--against qats --metric $(ANSWER) --out $(OUT)/$(1))
	$(call against,$(1)/statement.json,statement,--against ts --out $(OUT)/$(1))
	$(call against,$(1)/base-rate.json,statement|verdict,base-rate --against ts --metric $(ANSWER) --out $(OUT)/$(1))
	bin/qats compare --against ts --metric nll,ece --out $(OUT)/$(1) > /dev/null
	$(call kept,$(1),compare/nll-measured-differences.svg compare/ece-measured-differences.svg)
endef
others = $(call against,calarena/$(1).json,ranking|statement|verdict,--from '$(CALARENA)/$(2)/*.csv' --columns 'value=*_$(3)' --metric $(4) --against TS $(5))

docs: companion
	$(call kept,companion,$(patsubst %,tables/companion-%.csv,groups groups-band shift pixels-ece hfe-ece) $(patsubst %,figures/companion-%.svg,quantile-gap-grid-measured severity-measured reliability-20newsgroups-body-transformer-d64-l2))
	$(call against,companion/clean.json,method,--against qats --spec experiments/companion.yaml --spec experiments/companion-pixels.yaml --only dataset=$(CLEAN) --out $(OUT)/companion)
	$(call against,companion/corrupted.json,method,--against qats --spec experiments/companion.yaml --only dataset=cifar10-jpeg-c --out $(OUT)/companion)
	sed -n '/^Claims of the text/,/^$$/p' $(OUT)/companion/diff.txt > $(SHOWN)/companion/claims.txt
	bin/qats paper audit | sed -n '1p; /^13/,/^$$/p' > $(SHOWN)/audit.txt
	bin/qats try data/bundle/20newsgroups-body/transformer-d64-l2 --quiet | sed -E 's/ +(fit|<?[0-9.]+ m?s)$$//; 13q' > $(SHOWN)/try.txt
	$(call tables,readings,readings,own-ece own-aece x-rays-nll,--data data/bundle)
	$(call against,readings/qats.json,method|warning,qats --against ts --metric $(SCORES) --out $(OUT)/readings)
	$(call tables,label-shift,label-shift,means-ece means-accuracy means-nll)
	$(call tables,full-width,full-width,networks networks-band networks-accuracy shift)
	$(call kept,full-width,figures/full-width-severity-measured.svg)
	$(call against,full-width/ts.json,method,qats qats-free hfe --against ts --metric ece --only dataset=$(IMAGES) --out $(OUT)/full-width)
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
