package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// The arrays of a set are chosen by type and shape first, then by name.
func TestArraysAreChosen(t *testing.T) {
	scores := func(name string) npy.Named { return npy.Named{Name: name, DType: npy.Float32, Shape: []int{9, 3}} }
	labels := func(name string) npy.Named { return npy.Named{Name: name, DType: npy.Int64, Shape: []int{9}} }
	one := func(name string) npy.Named { return npy.Named{Name: name, DType: npy.Float64, Shape: []int{9}} }
	for _, c := range []struct {
		arrays []npy.Named
		want   string
	}{
		{[]npy.Named{scores("logits"), labels("labels")}, "logits with the labels labels"},
		{[]npy.Named{scores("logits"), labels("targets")}, "logits with the labels targets"},
		{[]npy.Named{scores("predictions"), labels("ground_truth")}, "predictions with the labels ground_truth"},
		{[]npy.Named{scores("y_prob"), labels("y_test")}, "y_prob with the labels y_test, probs"},
		{[]npy.Named{scores("y_pred"), labels("y_true")}, "y_pred with the labels y_true"},
		{[]npy.Named{scores("y_proba"), labels("y_pred"), labels("y_true")}, "y_proba with the labels y_true, probs"},
		{[]npy.Named{labels("y_pred"), labels("y_true")}, ""}, // scikit-learn's y_pred is the predicted class
		{[]npy.Named{one("decision"), labels("y")}, "decision with the labels y, logits"},
		{[]npy.Named{one("proba"), labels("y")}, "proba with the labels y, probs"},
		{[]npy.Named{one("scores"), {Name: "y", DType: npy.Bool, Shape: []int{9}}}, "scores with the labels y"},
		{[]npy.Named{scores("logits"), one("labels")}, "logits with the labels labels"}, // frameworks store labels as floats
		{[]npy.Named{scores("arr_0"), labels("arr_1")}, "arr_0 with the labels arr_1"},
		{[]npy.Named{scores("arr_0"), scores("arr_1"), labels("arr_2")}, "error several arrays can be the scores: arr_0 ((9, 3) float32), arr_1 ((9, 3) float32)"},
		{[]npy.Named{scores("logits"), scores("probs"), labels("y")}, "logits with the labels y"},
		{[]npy.Named{scores("probs"), scores("y_prob"), labels("y")}, "error several arrays can be the scores: probs ((9, 3) float32), y_prob ((9, 3) float32)"},
		{[]npy.Named{scores("logits"), labels("labels"), labels("y")}, "error several arrays can be the labels: labels ((9,) int64), y ((9,) int64)"},
		{[]npy.Named{scores("cal_logits"), labels("cal_labels"), scores("test_logits"), labels("test_labels")}, "cal: cal_logits with the labels cal_labels; test: test_logits with the labels test_labels"},
		{[]npy.Named{scores("logits_val"), labels("y_val"), scores("logits_test"), labels("y_test")}, "cal: logits_val with the labels y_val; test: logits_test with the labels y_test"},
		{[]npy.Named{scores("cal_logits"), labels("cal_labels"), scores("test_logits")}, "error test_logits has no labels"},
		{[]npy.Named{scores("logits"), {Name: "names", DType: "", Shape: []int{3}}}, ""},
		{[]npy.Named{scores("features"), scores("logits"), labels("y")}, "logits with the labels y"},
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

func TestWeightsGroupsAndFoldsStandBesideLabels(t *testing.T) {
	of := func(name string, kind npy.DType, shape ...int) npy.Named {
		return npy.Named{Name: name, DType: kind, Shape: shape}
	}
	z, y := of("logits", npy.Float32, 9, 3), of("labels", npy.Int64, 9)
	for want, arrays := range map[string][]npy.Named{
		"logits with the labels labels, the weights sample_weight, the groups groups, the folds fold": {z, y, of("sample_weight", npy.Float64, 9), of("groups", npy.Int64, 9), of("fold", npy.Int8, 9, 1)},
		"logits with the labels labels":                                  {z, y, of("weights", npy.Float32, 3, 64)}, // of a layer
		"cal_logits with the labels cal_labels, the weights cal_weights": {of("cal_logits", npy.Float32, 9, 3), of("cal_labels", npy.Int64, 9), of("cal_weights", npy.Float64, 9)},
	} {
		sets, err := Choose(arrays)
		if err != nil || len(sets) != 1 || sets[0].String() != want {
			t.Errorf("%v, %v, want %s", sets, err, want)
		}
	}
	if _, err := Choose([]npy.Named{z, y, of("weight", npy.Float64, 9), of("weights", npy.Float64, 9)}); err == nil {
		t.Error("two weights are no error")
	}
}
