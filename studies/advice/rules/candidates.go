package main

import "strings"

// balanced is how a model weighs the classes, by its name.
func balanced(model string) string {
	if strings.HasSuffix(model, "-balanced") {
		return "balanced"
	}
	return "plain"
}

// thresholds are those of z that are tried.
var thresholds = []float64{1, 1.64, 2.25, 3, 4}

// candidates are the rules that are tried for a kind of model.
func candidates(kind string) (list []rule) {
	fixed, moving, lists := []string{"ts", "uncal", "svs"}, []string{"z", "shares"}, []string{"rec"}
	switch kind {
	case two:
		fixed, moving, lists = append(fixed, "platt-logits"), append(moving, "platt-logits+z", "svs+z"), []string{own, "rec", "two-irova", "two", "all"}
	case zeros:
		fixed, lists = append(fixed, "platt", "platt-logits"), []string{own, "rec", "all"}
	default:
		moving, lists = append(moving, "shares-svs"), []string{"rec", "rec-q"}
	}
	add := func(reference string, least float64) {
		list = append(list, rule{reference, least, byNLL, false, "none"})
		for by := range scores {
			for i, l := range lists {
				list = append(list, rule{reference, least, by, false, l})
				if i == 0 && (least == 0 && reference != "uncal" || least == 3) {
					list = append(list, rule{reference, least, by, true, l})
				}
			}
		}
	}
	for _, reference := range fixed {
		add(reference, 0)
	}
	for _, reference := range moving {
		for _, least := range thresholds {
			add(reference, least)
		}
	}
	return list
}
