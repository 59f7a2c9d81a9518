package claims

import "github.com/qats-bench/qats/results/paper"

// claim is a sentence of the paper's text. The quote is short; the reading states
// what the predicates test.
type claim struct {
	quote, where, reading string
	published, measured   predicate
}

// same judges printed and measured numbers by one predicate.
func same(quote, where, reading string, p predicate) claim {
	return claim{quote, where, reading, p, p}
}

// claims returns the claims in the order of the text. The letters in where are the
// paragraphs of section 5.1 and the sections of the supplement.
func claims() []claim {
	return []claim{
		same("consistently, and substantially, outperforms", "abstract",
			"QaTS has the lowest ECE of the ranked methods in all 162 settings",
			every("settings", 0, single, qatsLowest, "standard", "longtail", "tasks", "shift-full", "medical-full")),
		{"without modifying model predictions", "abstract",
			"QaTS changes the predicted class of no test row",
			unprinted("no table prints predictions"), keepsPredictions},
		{"more stable under shifts ... even when logits are globally rescaled", "section 4",
			"test logits times 0.5 and 2: the ECE of QaTS changes by fewer points than that of TS",
			unprinted("no table prints rescaled logits"), stableRescaled},
		same("across 162 different settings", "section 5, Datasets",
			"settings with an ECE of QaTS, without means and without the ablation", countSettings),
		{"higher accuracy in 94 % of the settings", "section 5.1",
			"QaTS has a higher accuracy than FeatClip in 94 % of 161 settings (all but segmentation)",
			unprinted("no table prints accuracies"), accuracyDominance},
		same("all but one setting, where it ranks second", "section 5.1 A",
			"Table 1: QaTS has the lowest ECE in all rows but one, and the second lowest there",
			both(every("rows", 1, nil, qatsLowest, "standard"), every("rows with QaTS first or second", 0, nil, firstOrSecond, "standard"))),
		{"outperforms the FeatClip by margins up to 0.45 (RN-50) and 0.38 (RN-18)", "section 5.1 A",
			"Table 1, CIFAR-100: QaTS is below FeatClip; the margin is judged on the published numbers only",
			both(every("networks", 0, on("cifar100"), below("FeatClip"), "standard"), margin("standard", "cifar100", 45, "resnet50", "FeatClip")),
			every("networks", 0, on("cifar100"), below("FeatClip"), "standard")},
		{"the best calibration across all architectures, reducing ECE by up to 0.44 (ViT-B)", "section 5.1 A",
			"Table 1, ImageNet: QaTS is lowest; the margin to FeatClip is judged on the published numbers only",
			both(every("networks", 0, on("imagenet"), qatsLowest, "standard"), margin("standard", "imagenet", 44, "vit-b16", "FeatClip")),
			every("networks", 0, on("imagenet"), qatsLowest, "standard")},
		same("these approaches further deteriorate the baseline performance", "section 5.1 B",
			"Table 2, ImageNet-LT: TS, AdaTS or GC is above Uncal in most rows",
			most("rows", on("imagenet-lt"), anyAbove("Uncal", "TS", "AdaTS", "GC"), "longtail")),
		same("often achieving reductions of 80-90 %", "section 5.1 B",
			"Table 2, CIFAR-100-LT: at least half of the 20 reductions from AdaTS and GC are 80 % or more", reductions),
		same("most competing methods degrade sharply ... QaTS remains comparatively stable", "section 5.1 B",
			"Table 2, from R-10 to R-100: QaTS rises by fewer points than each of Uncal, TS, IR, AdaTS and GC", stable),
		same("ranking second in most settings and first in four cases", "section 5.1 B",
			"Table 2: FeatClip is second in more than half of the rows and first in four", featClipPlaces),
		same("when QaTS ranks second, the ECE gap is marginal", "section 5.1 B",
			"Table 2: where QaTS is not lowest, it is less than a tenth above the lowest ECE",
			every("rows that QaTS does not win", 0, nil, marginal, "longtail")),
		{"decreasing by 4 %-6 % compared to QaTS", "section 5.1 B",
			"FeatClip's largest loss of accuracy under long tails is at least 4 points",
			unprinted("no table prints accuracies"), accuracyLoss},
		same("lowest ECE among all OOD-free methods across all severity levels", "section 5.1 C",
			"Table 3: QaTS is lowest of the OOD-free methods",
			every("severities", 0, nil, qatsLowest, "shift")),
		same("yielding 2x-3x lower ECE values", "section 5.1 C",
			"Table 3: the lowest of Uncal, TS, IR, AdaTS and GC is at least twice QaTS", timesLower),
		same("superiority of QaTS across corruption types", "section 5.1 C",
			"Table 7, severity 5: QaTS is lowest of the OOD-free methods",
			every("corruptions", 0, corruptions(5), qatsLowest, "shift-full")),
		same("it widens as corruption severity increases", "section 5.1 C",
			"Table 3: FeatClip minus QaTS rises with each severity", widening),
		same("it still exhibits worse calibration than QaTS", "section 5.1 C",
			"Table 3: HFE is above QaTS",
			every("severities", 0, nil, below("HFE"), "shift")),
		same("consistently achieves the lowest average ECE", "section 5.1 D",
			"Table 4: QaTS is lowest",
			every("networks", 0, nil, qatsLowest, "medical")),
		same("outperforming all the baselines in both tasks", "section 5.1 D",
			"Table 5: QaTS is lowest",
			every("tasks", 0, nil, qatsLowest, "tasks")),
		{"69.78 -> 69.51 mIoU in segmentation", "section 5.1 D",
			"FeatClip has a lower mIoU than QaTS",
			unprinted("no table prints mIoU"), featClipLower("voc2012", "deeplabv3-r50", "miou")},
		{"84.9 -> 84.7 accuracy in text classification", "section 5.1 D",
			"FeatClip has a lower accuracy than QaTS",
			unprinted("no table prints accuracies"), featClipLower("20newsgroups", "bert-b", "accuracy")},
		{"Brier reduces ECE from 8.62 (CE) to 5.54, yet QaTS further lowers it to 2.72", "section 5.1 E",
			"CIFAR-100, RN-50: the Brier loss lowers the ECE, and QaTS lowers it further",
			brierPublished, brierMeasured},
		{"consistently yields further improvements across all backbones", "section 5.1 E",
			"CIFAR-100: QaTS is below Uncal for every training loss and network",
			unprinted("only a figure shows losses"), lossesImprove},
		same("can slightly reduce ECE on clean datasets, it yields worse results", "section 5.1 F",
			"Table 6: the piecewise forms are below QaTS on CIFAR-100, and above it under long tails and shift", piecewise),
		same("gradual increase of the ECE as K grows", "section 5.1 F",
			"Table 6: the ECE rises from K = 2 to 4 to 10 under long tails and shift", growing),
		same("increases steadily with corruption severity for all methods", "supplement B",
			"Table 7: the means of each method rise with each severity", steady),
		same("remains strongest across all corruption types", "supplement B",
			"Table 7: QaTS is lowest of the OOD-free methods in all 75 rows",
			every("rows", 0, corruptions(0), qatsLowest, "shift-full")),
		same("for RN-50 drops from 7.44 % (GC) and 9.82 % (FeatClip) to 2.22 %", "supplement C",
			"Table 8, RN-50 on DermaMNIST and OrganCMNIST: QaTS is below GC and FeatClip",
			every("rows", 0, func(s paper.Setting) bool {
				return s.Backbone == "resnet50" && (s.Dataset == "dermamnist" || s.Dataset == "organcmnist")
			}, below("GC", "FeatClip"), "medical-full")),
		same("achieves the lowest AECE in all settings", "supplement D",
			"Table 9: QaTS is lowest",
			every("rows", 0, nil, qatsLowest, "standard-aece")),
		{"improving upon the strongest baseline by margins up to 0.32", "supplement D",
			"Table 9, CIFAR-10: QaTS is lowest; the margin is judged on the published numbers only",
			margin("standard-aece", "cifar10", 32, "resnet50", ""), every("networks", 0, on("cifar10"), qatsLowest, "standard-aece")},
		same("consistently achieves the lowest AECE in nearly all settings", "supplement E",
			"Table 10: QaTS is lowest in all but one of 15 rows",
			every("rows", 1, nil, qatsLowest, "longtail-aece")),
	}
}
