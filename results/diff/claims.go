package diff

import "github.com/qats-bench/qats/results"

// claim is a sentence of the paper's text. The quotes are short; reading says
// what is asked of the numbers where the sentence leaves a choice.
type claim struct {
	quote, where, reading string
	published, measured   predicate
}

// preserving are the methods that the paper calls accuracy preserving.
var preserving = []string{"Uncal", "TS", "IR", "AdaTS", "GC"}

// same uses one predicate for both books.
func same(quote, where, reading string, p predicate) claim {
	return claim{quote, where, reading, p, p}
}

// claims are in the order of the text. The letters are those of the paragraphs
// of section 5.1, and of the sections of the supplement (S.).
func claims() []claim {
	single := func(s results.PublishedSetting) bool { return !s.IsAverage() }
	return []claim{
		same("consistently, and substantially, outperforms", "abstract", "lowest ECE of the ranked methods in all 162 settings",
			every("settings", 0, single, qatsLowest, "standard", "longtail", "tasks", "shift-full", "medical-full")),
		{"without modifying model predictions", "abstract", "no test row changes its class under QaTS",
			unprinted("no table shows predictions"), keepsPredictions},
		{"more stable under shifts ... even when logits are globally rescaled", "4",
			"test logits times 0.5 and 2: the ECE of QaTS moves by fewer points than that of TS",
			unprinted("no table shows rescaled logits"), stableRescaled},
		same("across 162 different settings", "5 Datasets", "settings with an ECE of QaTS, means and ablation aside", countSettings),
		{"higher accuracy in 94 % of the settings", "5.1", "accuracy of QaTS above FeatClip's, over the 161 settings without segmentation",
			unprinted("no table shows accuracies"), accuracyDominance},
		same("all but one setting, where it ranks second", "5.1 A", "Table 1: the lowest ECE, or the second in one row",
			both(every("rows", 1, nil, qatsLowest, "standard"), every("rows first or second", 0, nil, firstOrSecond, "standard"))),
		{"outperforms the FeatClip by margins up to 0.45 (RN-50) and 0.38 (RN-18)", "5.1 A",
			"Table 1, CIFAR-100: below FeatClip; the margin is asked of the published numbers only",
			both(every("networks", 0, on("cifar100"), below("FeatClip"), "standard"), margin("standard", "cifar100", 45, "resnet50", "FeatClip")),
			every("networks", 0, on("cifar100"), below("FeatClip"), "standard")},
		{"the best calibration across all architectures, reducing ECE by up to 0.44 (ViT-B)", "5.1 A",
			"Table 1, ImageNet: lowest; the margin to FeatClip is asked of the published numbers only",
			both(every("networks", 0, on("imagenet"), qatsLowest, "standard"), margin("standard", "imagenet", 44, "vit-b16", "FeatClip")),
			every("networks", 0, on("imagenet"), qatsLowest, "standard")},
		same("these approaches further deteriorate the baseline performance", "5.1 B", "Table 2, ImageNet-LT: TS, AdaTS or GC above Uncal in most rows",
			most("rows", on("imagenet-lt"), anyAbove("Uncal", "TS", "AdaTS", "GC"), "longtail")),
		same("often achieving reductions of 80-90 %", "5.1 B", "Table 2, CIFAR-100-LT, AdaTS and GC: at least half of the 20 reduced by 80 % or more", reductions),
		same("most competing methods degrade sharply ... QaTS remains comparatively stable", "5.1 B",
			"Table 2, R-10 to R-100: QaTS rises by fewer points than Uncal, TS, IR, AdaTS and GC", stable),
		same("ranking second in most settings and first in four cases", "5.1 B", "FeatClip in Table 2", featClipPlaces),
		same("when QaTS ranks second, the ECE gap is marginal", "5.1 B", "Table 2; marginal is less than a tenth of the best ECE",
			every("rows that QaTS does not win", 0, nil, marginal, "longtail")),
		{"decreasing by 4 %-6 % compared to QaTS", "5.1 B", "FeatClip's largest loss of accuracy under long tails is at least 4 points",
			unprinted("no table shows accuracies"), accuracyLoss},
		same("lowest ECE among all OOD-free methods across all severity levels", "5.1 C", "Table 3",
			every("severities", 0, nil, qatsLowest, "shift")),
		same("yielding 2x-3x lower ECE values", "5.1 C", "Table 3: the best of Uncal, TS, IR, AdaTS and GC is at least twice QaTS", timesLower),
		same("superiority of QaTS across corruption types", "5.1 C", "Table 7, severity 5: lowest of the OOD-free methods",
			every("corruptions", 0, corruptions(5), qatsLowest, "shift-full")),
		same("it widens as corruption severity increases", "5.1 C", "Table 3: FeatClip less QaTS rises with each severity", widening),
		same("it still exhibits worse calibration than QaTS", "5.1 C", "Table 3: HFE above QaTS",
			every("severities", 0, nil, below("HFE"), "shift")),
		same("consistently achieves the lowest average ECE", "5.1 D", "Table 4",
			every("networks", 0, nil, qatsLowest, "medical")),
		same("outperforming all the baselines in both tasks", "5.1 D", "Table 5",
			every("tasks", 0, nil, qatsLowest, "tasks")),
		{"69.78 -> 69.51 mIoU in segmentation", "5.1 D", "mIoU of FeatClip below that of QaTS",
			unprinted("no table shows mIoU"), loses("voc2012", "deeplabv3-r50", "miou")},
		{"84.9 -> 84.7 accuracy in text classification", "5.1 D", "accuracy of FeatClip below that of QaTS",
			unprinted("no table shows accuracies"), loses("20newsgroups", "bert-b", "accuracy")},
		{"Brier reduces ECE from 8.62 (CE) to 5.54, yet QaTS further lowers it to 2.72", "5.1 E", "CIFAR-100, RN-50: each step lowers the ECE",
			brierPublished, brierMeasured},
		{"consistently yields further improvements across all backbones", "5.1 E", "QaTS below Uncal for every training loss and network of CIFAR-100",
			unprinted("only a figure shows losses"), lossesImprove},
		same("can slightly reduce ECE on clean datasets, it yields worse results", "5.1 F",
			"Table 6, piecewise forms: below QaTS on CIFAR-100, above it under long tails and shift", piecewise),
		same("gradual increase of the ECE as K grows", "5.1 F", "Table 6: K = 2, 4, 10 rise under long tails and shift", growing),
		same("increases steadily with corruption severity for all methods", "S. B", "the means of Table 7 rise with each severity", steady),
		same("remains strongest across all corruption types", "S. B", "Table 7: lowest of the OOD-free methods in all 75 rows",
			every("rows", 0, corruptions(0), qatsLowest, "shift-full")),
		same("for RN-50 drops from 7.44 % (GC) and 9.82 % (FeatClip) to 2.22 %", "S. C", "Table 8, DermaMNIST and OrganCMNIST: QaTS below GC and FeatClip",
			every("rows", 0, func(s results.PublishedSetting) bool {
				return s.Backbone == "resnet50" && (s.Dataset == "dermamnist" || s.Dataset == "organcmnist")
			}, below("GC", "FeatClip"), "medical-full")),
		same("achieves the lowest AECE in all settings", "S. D", "Table 9",
			every("rows", 0, nil, qatsLowest, "standard-aece")),
		{"improving upon the strongest baseline by margins up to 0.32", "S. D", "Table 9, CIFAR-10: lowest; the margin is asked of the published numbers only",
			margin("standard-aece", "cifar10", 32, "resnet50", ""), every("networks", 0, on("cifar10"), qatsLowest, "standard-aece")},
		same("consistently achieves the lowest AECE in nearly all settings", "S. E", "Table 10: all but one of 15 rows",
			every("rows", 1, nil, qatsLowest, "longtail-aece")),
	}
}
