package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readText returns the arrays of a text, and what was told or the error.
func readText(t *testing.T, name, text string, r Reading) (map[string][]float64, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	in := stream(nil, 1<<22)
	in.StateReading(r)
	arrays, err := Forms().Arrays(in, path)
	if err != nil {
		return nil, strings.ReplaceAll(err.Error(), path, "FILE")
	}
	values := map[string][]float64{}
	for _, x := range arrays {
		a, err := OpenArray(in, path+"#"+x.Name)
		if err != nil {
			t.Fatal(err)
		}
		v := make([]float64, a.Rows()*a.Cols())
		if err := a.ReadFloat64(v, 0, a.Rows()); err != nil {
			t.Fatal(err)
		}
		values[x.Name] = v
	}
	return values, strings.Join(in.Told(path), "\n")
}

// Each row is a table of its kind; lines are separated by |, and repeated until there are enough rows where it ends with *.
func TestOneReadingForEachKind(t *testing.T) {
	for _, c := range []struct {
		text string
		r    Reading
		told string             // a part of what is told, or of the error
		want map[string]float64 // the array and the sum of its numbers
	}{
		// one probability beside predictions
		{text: "y,yhat,p|1,1,.9|0,1,.8|1,0,.6|0,0,.7", r: Reading{Prediction: "yhat"}, told: "no number is below .5", want: map[string]float64{"correct": 2}},
		{text: "truth,predicted_class,probability|a,a,.9|b,a,.55|c,c,.4", told: "one probability of 3 classes", want: map[string]float64{"correct": 2, "confidence": 1.85}},
		{text: "label,pred,prob|1,1,.9|0,0,.2|1,0,.3|0,0,.1", told: "probabilities in prob, labels in label", want: map[string]float64{"labels": 2, "probs": 1.5}},
		{text: "label,pred,prob|1,1,.9|0,0,.8|1,0,.3|0,1,.1", told: "--confidence prob --prediction pred, or --classes prob"},
		{text: "label,pred,prob|1,1,.9|0,0,.8|1,0,.3|0,1,.1", r: Reading{Classes: []string{"prob"}}, told: "probabilities in prob", want: map[string]float64{"labels": 2}},
		{text: "target,prediction,score|ham,ham,.9|spam,ham,.7|spam,spam,.8", told: "that of the predicted class", want: map[string]float64{"correct": 2}},
		{text: "label,pred,prob|1,1,.1|0,0,.8|1,1,.3|0,0,.9", told: "prob is the probability of class 0 of two"},
		{text: "label,pred,p_0|1,1,.1|0,0,.8|1,1,.3|0,0,.9", told: "p_0", want: map[string]float64{"labels": 2}},
		{text: "label,pred,prob|1,LABEL_1,.9|0,LABEL_1,.8|1,LABEL_0,.6|0,LABEL_0,.7", told: "that of the predicted class", want: map[string]float64{"correct": 2}},
		// other spellings of two labels
		{text: "label,prob_true,prob_false|1,.9,.1|0,.2,.8|1,.7,.3", told: "probabilities in prob_false, prob_true", want: map[string]float64{"labels": 2}},
		{text: "label,prob_pos,prob_neg|positive,.9,.1|negative,.2,.8|positive,.7,.3", told: "probabilities in prob_pos, prob_neg", want: map[string]float64{"labels": 1}},
		{text: "label,yes_score,no_score|1,.9,.1|0,.2,.8|1,.7,.3", told: "no_score, yes_score", want: map[string]float64{"labels": 2}},
		// the weight of a body is not that of a row
		{text: "label,p0,p1,weight|0,.7,.3,61|1,.2,.8,75", told: "Not used: weight", want: map[string]float64{"labels": 1}},
		{text: "label,p0,p1,weight|0,.7,.3,2|1,.2,.8,.5", r: Reading{Weight: "weight"}, told: "weights in weight", want: map[string]float64{"weights": 2.5}},
		// titles that have the labels between a prefix and a suffix
		{text: "y_true,rf cow prob,rf ant prob|ant,.2,.8|cow,.7,.3|cow,.6,.4", told: "probabilities in rf cow prob, rf ant prob", want: map[string]float64{"labels": 1}},
		{text: "label,probability of Bee,probability of Ant|Ant,.2,.8|Bee,.7,.3", told: "probabilities", want: map[string]float64{"labels": 1}},
		{text: "label,val_2,val_1,val_0|2,.8,.1,.1|0,.1,.1,.8|1,.1,.8,.1", told: "probabilities in val_0, val_1, val_2", want: map[string]float64{"labels": 3}},
		{text: "label,prob:dog,prob:cat,prob:eel|dog,.8,.1,.1|cat,.2,.7,.1|eel,.1,.1,.8", told: "prob:dog, prob:cat, prob:eel", want: map[string]float64{"labels": 3}},
		{text: "label,oof_prob_cat|cat,.8|dog,.3", told: "oof_prob_cat is the score of label cat, which is class 1", want: map[string]float64{"labels": 1}},
		{text: "label,resnet_p0,resnet_p1,vit_p0,vit_p1|0,.8,.2,.7,.3|1,.3,.7,.1,.9", told: "several groups of columns"},
		{text: "label,resnet_p0,resnet_p1,vit_p0,vit_p1|0,.8,.2,.7,.3|1,.3,.7,.1,.9", r: Reading{Classes: []string{"vit_*"}}, told: "probabilities in vit_p0, vit_p1", want: map[string]float64{"labels": 1}},
		// a confidence alone
		{text: "score,matched|.9,1|.3,0", told: "confidence in score", want: map[string]float64{"correct": 1}},
		{text: "logprob,correct|-.1,1|-2,0", told: "confidence in exp of logprob", want: map[string]float64{"correct": 1}},
		{text: "confidence,prediction,answer|.9,x,x|.3,y,z", told: "right where prediction is answer", want: map[string]float64{"correct": 1}},
		{text: "max_prob,pred,label|.9,a,a|.6,b,a", told: "confidence in max_prob", want: map[string]float64{"correct": 1}},
		{text: "confidence,is_tp|.9,True|.3,False", told: "correctness in is_tp", want: map[string]float64{"correct": 1}},
		// class numbers with gaps
		{text: "label,p_10,p_20,p_95|10,.8,.1,.1|95,.1,.1,.8|20,.1,.8,.1", told: "label 10 is class 0", want: map[string]float64{"labels": 3}},
		{text: "label,95,10|10,.2,.8|95,.8,.2", told: "probabilities in 10, 95", want: map[string]float64{"labels": 1}},
		{text: "label,p_1,p_3|1,.2,.8|2,.8,.2", told: "the numbers 1 and 3, and none between them"},
		// 0 and 1 as probabilities
		{text: "y,proba|1,1|0,0|1,0", told: "probabilities in proba", want: map[string]float64{"probs": 1}},
		{text: "y,prob_0,prob_1|1,0.0,1.0|0,1.0,0.0", told: "probabilities in prob_0, prob_1", want: map[string]float64{"probs": 2}},
		{text: "y_true,y_pred|1,1.0|0,0.0", told: "no columns of scores"},
		// rows without a class
		{text: "label,p_a,p_b|a,.7,.3|?,.5,.5|b,.2,.8", r: Reading{Ignore: []string{"?"}}, told: `left out are 1 rows with the label "?"`, want: map[string]float64{"labels": 1}},
		{text: "label,p_a,p_b|a,.7,.3|,.5,.5|b,.2,.8", r: Reading{Ignore: []string{""}}, told: `label ""`, want: map[string]float64{"labels": 1}},
		{text: "label,p_a,p_b|a,.7,.3|b,.2,.8", r: Reading{Ignore: []string{"x"}}, told: `no row has the label "x"`},
		// other doors
		{text: "y_true,y_pred|1.5,1.2|2.5,2.2", told: "targets of a regression"},
		{text: "p0,p1,y_0,y_1|.7,.3,1,0|.2,.8,0,1", told: "read as one label", want: map[string]float64{"labels": 1}},
		{text: "p0,p1,y_0,y_1|.7,.3,1,0|.2,.8,0,0", told: "0 of the columns y_0, y_1 are 1"},
		{text: "Klasse,p0,p1|0,.7,.3|1,.2,.8", told: "name it: --label COLUMN"},
		{text: "Klasse,p0,p1|0,.7,.3|1,.2,.8", r: Reading{Label: "Klasse"}, told: "labels in Klasse", want: map[string]float64{"labels": 1}},
		{text: "label,p0,p1|0,.7,.3|1,.2,.8", r: Reading{Label: "none"}, told: "no column none"},
		// what stands beside labels
		{text: "label,p0,p1,sample_weight,age|0,.7,.3,2,30|1,.2,.8,.5,40", told: "weights in sample_weight. Not used: age", want: map[string]float64{"weights": 2.5}},
		{text: "label,p0,p1,weights|0,.7,.3,-2|1,.2,.8,.5", told: "-2 is no weight"},
		{text: "label,p0,p1,fold|0,.7,.3,0|1,.2,.8,1|0,.7,.3,0|1,.2,.8,1", told: "folds in fold (2)", want: map[string]float64{"folds": 2}},
		{text: "label,p0,p1,fold|0,.7,.3,val|1,.2,.8,test", told: "probabilities", want: map[string]float64{"cal_labels": 0, "test_labels": 1}},
		{text: "label,p0,p1,sex|0,.7,.3,f|1,.2,.8,m", r: Reading{Group: "sex"}, told: "groups in sex (2)", want: map[string]float64{"groups": 1}},
	} {
		got, told := readText(t, "x.csv", strings.ReplaceAll(c.text, "|", "\n")+"\n", c.r)
		if !strings.Contains(told, c.told) {
			t.Errorf("%s: told %q, want %q", c.text, told, c.told)
		}
		for name, want := range c.want {
			sum := 0.0
			for _, v := range got[name] {
				sum += v
			}
			if got[name] == nil || sum < want-1e-9 || sum > want+1e-9 {
				t.Errorf("%s: %s is %v, want the sum %g; told %q", c.text, name, got[name], want, told)
			}
		}
		if c.want == nil && got != nil {
			t.Errorf("%s: no error", c.text)
		}
	}
}

// Ids that repeat are groups, ids that do not are none.
func TestRepeatedIdsAreGroups(t *testing.T) {
	for _, title := range []string{"patient_id", "Subject", "id", "image_id", "group"} {
		for _, copies := range []int{1, 3} {
			var b strings.Builder
			fmt.Fprintf(&b, "%s,p0,p1,label\n", title)
			for i := range 12 * copies {
				fmt.Fprintf(&b, "x%d,.7,.3,%d\n", i%12, i%2)
			}
			got, told := readText(t, "x.csv", b.String(), Reading{})
			if has := got["groups"] != nil; has != (copies > 1) || has != strings.Contains(told, "groups in "+title+" (12)") {
				t.Errorf("%s, %d copies: groups %v, told %q", title, copies, got["groups"], told)
			}
		}
	}
}

// Records are read as the table of the same fields.
func TestRecordsAreTables(t *testing.T) {
	want, _ := readText(t, "x.csv", "label,probs_0,probs_1\n1,.3,.7\n0,.6,.4\n", Reading{})
	for _, text := range []string{
		"{\"label\": 1, \"probs\": [0.3, 0.7]}\n\n{\"label\": 0, \"probs\": [0.6, 0.4]}\n",
		`[{"label": 1, "probs": [0.3, 0.7]}, {"probs": [6e-1, 0.4], "label": 0}]`,
		"{\"id\": \"a\", \"label\": 1,\n \"probs\": {\"0\": 0.3, \"1\": 0.7}}\n{\"label\": 0, \"probs\": {\"1\": 0.4, \"0\": 0.6}}",
		"{\"out\": {\"label\": 1}, \"label\": 1, \"probs_0\": 0.3, \"probs_1\": 0.7}\n{\"label\": 0, \"probs_0\": 0.6, \"probs_1\": 0.4}",
		"{\"label\": true, \"probs\": [0.3, 0.7]}\n{\"label\": false, \"probs\": [0.6, 0.4]}",
	} {
		got, told := readText(t, "x.jsonl", text, Reading{})
		if !slices.Equal(got["probs"], want["probs"]) || !slices.Equal(got["labels"], want["labels"]) {
			t.Errorf("%s: %v, want %v; %s", text, got, want, told)
		}
	}
	for text, cause := range map[string]string{
		"{\"label\": 1, \"p\": 0.5}\n[1]\n":                  "FILE:2: a record is no object",
		"{\"label\": 1, \"p\": 0.5}\n{\"label\": 0, \"p\"\n": "no JSON",
		"{\"label\": 1, \"p\": 0.5}\n{\"label\": 0}\n":       "FILE:2: column p: no number",
		"[]": "no record",
	} {
		if _, told := readText(t, "x.jsonl", text, Reading{}); !strings.Contains(told, cause) {
			t.Errorf("%s: %s, want %s", text, told, cause)
		}
	}
}

// FuzzTable reads arbitrary texts: a reader gives arrays or an error, and no panic.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"label,pred,prob\n1,1,.9\n0,1,.8\n", "y,p_a,p_b,weight,fold,id\na,.2,.8,1,0,x\nb,.7,.3,2,1,x\n", "{\"label\": 1, \"p\": [0.5, 0.5]}", "[{\"a\": {\"b\": 1}}]", "a b\n1 2\n", "p,y_0,y_1\n.5,1,0\n"} {
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, title string) {
		for _, name := range []string{"x.csv", "x.jsonl"} {
			for _, r := range []Reading{{}, {Label: title, Group: title}, {Confidence: title, Prediction: title}, {Classes: []string{title, "p*"}, Weight: title, Fold: title}, {Split: title, Ignore: []string{title}}} {
				if b, told, err := readTextTable(name, strings.NewReader(text), 1<<16, r); err == nil && (len(b) == 0 || len(told) == 0) {
					t.Errorf("%q: no arrays, and no error", text)
				}
			}
		}
	})
}
