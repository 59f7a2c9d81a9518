package data

import (
	"fmt"
	"strings"
	"testing"
)

// The arrays of a set are chosen by type and shape first, then by name.
func TestArraysAreChosen(t *testing.T) {
	scores := func(name string) Named { return Named{name, Float32, []int{9, 3}} }
	labels := func(name string) Named { return Named{name, Int64, []int{9}} }
	one := func(name string) Named { return Named{name, Float64, []int{9}} }
	for _, c := range []struct {
		arrays []Named
		want   string
	}{
		{[]Named{scores("logits"), labels("labels")}, "logits with the labels labels"},
		{[]Named{scores("logits"), labels("targets")}, "logits with the labels targets"},
		{[]Named{scores("predictions"), labels("ground_truth")}, "predictions with the labels ground_truth"},
		{[]Named{scores("y_prob"), labels("y_test")}, "y_prob with the labels y_test, probs"},
		{[]Named{scores("y_pred"), labels("y_true")}, "y_pred with the labels y_true"},
		{[]Named{scores("y_proba"), labels("y_pred"), labels("y_true")}, "y_proba with the labels y_true, probs"},
		{[]Named{labels("y_pred"), labels("y_true")}, ""}, // scikit-learn's y_pred is the predicted class
		{[]Named{one("decision"), labels("y")}, "decision with the labels y, logits"},
		{[]Named{one("proba"), labels("y")}, "proba with the labels y, probs"},
		{[]Named{one("scores"), {"y", Bool, []int{9}}}, "scores with the labels y"},
		{[]Named{scores("logits"), one("labels")}, "logits with the labels labels"}, // frameworks store labels as floats
		{[]Named{scores("arr_0"), labels("arr_1")}, "arr_0 with the labels arr_1"},
		{[]Named{scores("arr_0"), scores("arr_1"), labels("arr_2")}, "error several arrays can be the scores: arr_0 ((9, 3) float32), arr_1 ((9, 3) float32)"},
		{[]Named{scores("logits"), scores("probs"), labels("y")}, "logits with the labels y"},
		{[]Named{scores("probs"), scores("y_prob"), labels("y")}, "error several arrays can be the scores: probs ((9, 3) float32), y_prob ((9, 3) float32)"},
		{[]Named{scores("logits"), labels("labels"), labels("y")}, "error several arrays can be the labels: labels ((9,) int64), y ((9,) int64)"},
		{[]Named{scores("cal_logits"), labels("cal_labels"), scores("test_logits"), labels("test_labels")}, "cal: cal_logits with the labels cal_labels; test: test_logits with the labels test_labels"},
		{[]Named{scores("logits_val"), labels("y_val"), scores("logits_test"), labels("y_test")}, "cal: logits_val with the labels y_val; test: logits_test with the labels y_test"},
		{[]Named{scores("cal_logits"), labels("cal_labels"), scores("test_logits")}, "error test_logits has no labels"},
		{[]Named{scores("logits"), {"names", "", []int{3}}}, ""},
		{[]Named{scores("features"), scores("logits"), labels("y")}, "logits with the labels y"},
	} {
		sets, err := Choose(c.arrays)
		var got []string
		for _, s := range sets {
			text := s.String()
			if s.Kind != AnyKind {
				text += ", " + string(s.Kind)
			}
			if s.Split != "" {
				text = string(s.Split) + ": " + text
			}
			got = append(got, text)
		}
		if err != nil {
			got = []string{fmt.Sprint("error ", err)}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%v: %q, want %q", Names(c.arrays), text, c.want)
		}
	}
}

// Names of members state a split before or behind them, in any case.
func TestRolesOfMembers(t *testing.T) {
	for name, want := range map[string]string{
		"logits": " logits", "cal_logits": "cal logits", "logits_val": "cal logits", "Test-Logits": "test logits", "validation.targets": "cal targets",
		"y_true": " y_true", "test_y_true": "test y_true", "y_test": "test y", "probs": " probs", "log_probs_test": "test log_probs", "test": "test ",
	} {
		if split, role := RoleOf(name); string(split)+" "+role != want {
			t.Errorf("%s: %q %q, want %q", name, split, role, want)
		}
	}
}
