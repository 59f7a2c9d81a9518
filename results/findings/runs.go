package main

import (
	"strings"

	"github.com/qats-bench/qats/results"
)

// source is an output folder, and what is taken from it.
type source struct {
	run         string   // its name, and that of the folder
	experiments []string // of its rows; nil for all
	methods     []string // of its rows; nil for all
	parts       []part
	claims      bool // the paper's claims are judged on its rows
}

// part is some of the settings of a run that count ([results.Counts]), and what is said of them. Of all its methods it has
// the mean of each metric and the number of settings.
type part struct {
	name     string
	keep     func(results.Setting) bool
	metrics  []string
	each     bool // every setting is a part of its own, too
	compared []compared
}

// compared is a comparison with one method.
type compared struct {
	against string
	methods []string // nil for all
	folder  string   // below that of the run, of pairs with another method than the baseline; "" for the run
	metrics []string
}

func clean(s results.Setting) bool {
	s = s.Whole()
	return s.Corruption == "" && s.Variant == (results.Variant{})
}

func corrupted(s results.Setting) bool { return s.Corruption != "" }

func every(results.Setting) bool { return true }

func both(a, b func(results.Setting) bool) func(results.Setting) bool {
	return func(s results.Setting) bool { return a(s) && b(s) }
}

// of keeps the settings of some data sets.
func of(datasets ...string) func(results.Setting) bool {
	return func(s results.Setting) bool {
		for _, d := range datasets {
			if s.Dataset == d {
				return true
			}
		}
		return false
	}
}

func severity(n int) func(results.Setting) bool {
	return func(s results.Setting) bool { return s.Severity == n }
}

func not(f func(results.Setting) bool) func(results.Setting) bool {
	return func(s results.Setting) bool { return !f(s) }
}

func crossEntropy(s results.Setting) bool { return s.Loss == "ce" }

func brierLoss(s results.Setting) bool { return s.Loss == "brier" }

func variant(text string) func(results.Setting) bool {
	return func(s results.Setting) bool { return s.Variant.String() == text }
}

// The metrics of most parts.
var (
	calibration = []string{"ece", "aece"}
	scores      = []string{"ece", "aece", "nll", "brier"}
)

const (
	cifar = "cifar10-jpeg"
	lt10  = "cifar10-jpeg-lt-r10"
	lt100 = "cifar10-jpeg-lt-r100"
	xrays = "pneumoniamnist-28"
	news  = "20newsgroups-body"
)

// realScores is the run of the networks of others with QaTS and TS alone, for the scores that the
// run "real" has no comparison of.
const realScores = "real-scores"

// outlier is the network of the bundle whose mean error hides all others.
func outlier(s results.Setting) bool {
	return s.Dataset == cifar && s.Backbone == "resnet50-w8-s2" && brierLoss(s)
}

// runs are the output folders from which facts are taken. The Makefile says how each is made.
func runs() []source {
	fullWidth := func(s results.Setting) bool {
		return strings.HasSuffix(s.Backbone, "-w64") || s.Backbone == "densenet121-k32"
	}
	narrow := func(datasets ...string) func(results.Setting) bool {
		return both(both(clean, of(datasets...)), both(crossEntropy, not(fullWidth)))
	}
	return []source{
		{run: "companion", experiments: []string{"companion", "companion-pixels"}, parts: []part{
			{name: "clean", keep: clean, metrics: calibration, compared: []compared{{against: "qats", folder: "compare", metrics: []string{"ece", "aece"}}}},
			{name: "corrupted", keep: corrupted, metrics: calibration, compared: []compared{{against: "qats", folder: "compare", metrics: []string{"ece", "aece"}}}},
			{name: "all", keep: every, metrics: calibration, compared: []compared{{against: "ts", methods: []string{"qats"}, metrics: []string{"ece"}}}},
			{name: "without the outlier", keep: both(clean, not(outlier)), metrics: calibration},
			{name: "cifar10-jpeg", keep: narrow(cifar), metrics: calibration},
			{name: "full width", keep: both(clean, both(of(cifar), fullWidth)), metrics: calibration},
			{name: "other losses", keep: both(clean, both(not(crossEntropy), not(brierLoss))), metrics: calibration},
			{name: "brier", keep: both(clean, brierLoss), metrics: calibration},
			{name: "r10", keep: narrow(lt10), metrics: calibration},
			{name: "r100", keep: narrow(lt100), metrics: calibration},
			{name: "x-rays", keep: narrow(xrays), metrics: calibration},
			{name: "news", keep: both(clean, of(news)), metrics: calibration, each: true},
			{name: "camvid", keep: of("camvid-240"), metrics: calibration},
			{name: "severity 5", keep: severity(5), metrics: calibration},
			{name: "outlier", keep: both(clean, outlier), metrics: calibration},
		}},
		{run: "companion-claims", claims: true},
		{run: segmentation, parts: []part{{name: "camvid", keep: every, metrics: []string{"ece", "ece_classwise"}}}},
		{run: "companion-hfe", experiments: []string{"companion-hfe"}, parts: []part{
			{name: "cifar10-jpeg", keep: of(cifar), metrics: []string{"ece"}},
			{name: "r10", keep: of(lt10), metrics: []string{"ece"}},
			{name: "r100", keep: of(lt100), metrics: []string{"ece"}},
			{name: "x-rays", keep: of(xrays), metrics: []string{"ece"}},
		}},
		{run: "full-width", methods: []string{"uncal", "ts", "ir", "ets", "spline", "hfe", "qats", "qats-free"}, parts: []part{
			{name: "clean", keep: clean, metrics: calibration, each: true, compared: []compared{{against: "ts", metrics: []string{"ece"}}}},
			{name: "corrupted", keep: corrupted, metrics: calibration, compared: []compared{{against: "ts", metrics: []string{"ece"}}}},
			{name: "severity 1", keep: severity(1), metrics: calibration},
			{name: "severity 3", keep: severity(3), metrics: calibration},
			{name: "severity 5", keep: severity(5), metrics: calibration},
		}},
		{run: "real", claims: true, parts: []part{
			{name: "clean", keep: clean, metrics: calibration, compared: []compared{
				{against: "ts", methods: []string{"qats"}, metrics: calibration},
				{against: "ts", methods: []string{"qats-free"}, metrics: []string{"ece"}},
				{against: "ts", methods: []string{"ts-guo50"}, metrics: []string{"ece"}}}},
			{name: "all", keep: every, compared: []compared{{against: "qats", metrics: scores}}},
		}},
		{run: realScores, parts: []part{
			{name: "clean", keep: clean, compared: []compared{{against: "ts", methods: []string{"qats"}, metrics: []string{"ece", "nll", "brier"}}}},
		}},
		{run: "real-made", parts: []part{
			{name: "clean", keep: clean, metrics: calibration, each: true},
			{name: "severity 1", keep: severity(1), metrics: []string{"ece"}},
			{name: "severity 5", keep: severity(5), metrics: []string{"ece"}},
			{name: "corrupted", keep: corrupted, metrics: []string{"ece"}},
		}},
		{run: "readings", parts: []part{
			{name: "clean", keep: clean, metrics: calibration, compared: []compared{{against: "ts", methods: []string{"qats"}, metrics: []string{"ece", "nll", "brier"}}, {against: "ts", metrics: []string{"ece"}}}},
			{name: "without the outlier", keep: not(outlier), metrics: calibration},
			{name: "x-rays", keep: of(xrays), metrics: []string{"nll"}, each: true},
		}},
		{run: "readings-real", parts: []part{
			{name: "clean", keep: clean, metrics: calibration, compared: []compared{{against: "ts", metrics: []string{"ece"}}}},
		}},
		{run: "language", parts: []part{
			{name: "all", keep: every, metrics: []string{"accuracy", "ece", "nll", "brier", "rmsce"}, each: true},
		}},
		{run: "label-shift", parts: []part{
			{name: "r10", keep: both(clean, of(lt10)), metrics: []string{"accuracy", "ece", "nll"}},
			{name: "r100", keep: both(clean, of(lt100)), metrics: []string{"accuracy", "ece", "nll"}},
			{name: "r10 skewed", keep: both(variant("test_shares=calibration"), of(lt10)), metrics: []string{"accuracy", "ece", "nll"}},
			{name: "r100 skewed", keep: both(variant("test_shares=calibration"), of(lt100)), metrics: []string{"accuracy", "ece", "nll"}},
		}},
	}
}
