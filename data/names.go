package data

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/lists"
)

// scoreNames are the names that arrays of scores have in files of many people, with what they
// hold; those of an earlier line are preferred. python/qatsbench/datasets/names.py has the same lists.
var scoreNames = []struct {
	kind  Kind
	names []string
}{
	{AnyKind, []string{"logits", "logit"}},
	{KindLogProbs, []string{"log_probs", "logprobs", "log_prob", "logprob", "log_softmax", "log_proba"}},
	{KindProbs, []string{"probs", "prob", "probabilities", "probability", "proba", "probas", "y_prob", "y_probs", "y_proba", "y_pred_proba", "pred_proba", "predict_proba", "pred_prob", "pred_probs", "predicted_probs", "predicted_probabilities", "softmax", "softmaxes"}},
	{AnyKind, []string{"scores", "score", "y_score", "y_scores", "decision", "decisions", "decision_function", "outputs", "output", "predictions", "prediction", "preds", "pred", "y_pred", "y_hat"}},
}

// logOdds are names of scores that are no probabilities where there is one a row.
var logOdds = []string{"logits", "logit", "decision", "decisions", "decision_function"}

// labelNames are the names of labels.
var labelNames = []string{"labels", "label", "targets", "target", "y", "y_true", "true", "true_labels", "true_label", "truth", "ground_truth", "gt", "y_gt", "label_id", "label_ids", "gold", "gold_label", "gold_labels", "obs", "observed"}

// confidenceNames are the names of a confidence alone, which is taken where there are no scores; correctNames those
// of the flags that say whether the prediction is right; predictedNames those of predicted classes.
var (
	confidenceNames = []string{"confidence", "confidences", "conf"}
	correctNames    = []string{"correct", "is_correct", "correctness", "hit", "hits", "right", "tp", "is_tp", "true_positive", "is_true_positive", "matched", "is_matched", "match", "is_match", "exact_match", "is_right", "success", "answer_correct", "was_correct", "acc"}
	predictedNames  = []string{"predicted", "pred", "preds", "predict", "prediction", "predictions", "y_pred", "y_hat", "yhat", "pred_label", "pred_labels", "predicted_label", "predicted_labels", "predicted_class", "pred_class", "predicted_classes", "y_predicted", "model_answer", "model_output", "model_prediction"}
)

// isPredicted reports whether a name is one of predicted classes: one of predictedNames, or one that begins with a word of
// prediction and has none of scores, as predicted_species or prediction_label.
func isPredicted(name string) bool {
	words := strings.Split(name, "_")
	return slices.Contains(predictedNames, name) ||
		len(words) > 1 && slices.Contains([]string{"pred", "predict", "predicted", "prediction"}, words[0]) && kindOfPrefix(name) == AnyKind &&
			!slices.ContainsFunc(words[1:], func(w string) bool {
				_, err := strconv.Atoi(w)
				return err == nil || slices.Contains([]string{"score", "scores", "conf", "confidence", "decision", "value"}, w)
			})
}

// isGroup reports whether a name is one of groups: groups, or ids of patients, documents and the like.
func isGroup(name string) bool {
	words := strings.Split(name, "_")
	for len(words) > 1 && slices.Contains([]string{"id", "ids", "no", "nr", "number", "code", "uid", "key"}, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) != 1 {
		return false
	}
	word := strings.TrimSuffix(words[0], "id")
	return slices.ContainsFunc(groupWords, func(w string) bool { return word == w || word == w+"s" || words[0] == w })
}

var groupWords = []string{"group", "patient", "subject", "participant", "cluster", "case", "user", "speaker", "person", "individual", "mrn", "study", "video", "document", "doc", "author", "family", "animal"}

// isBeside report whether a name is one of weights, groups and folds.
var isBeside = [3]func(name string) bool{
	func(name string) bool {
		return slices.Contains([]string{"weights", "weight", "sample_weight", "sample_weights"}, name)
	},
	isGroup,
	func(name string) bool { return slices.Contains([]string{"folds", "fold"}, name) },
}

// KnownNames lists names of arrays that are understood, for messages.
const KnownNames = "logits, log_probs, probs, scores or predictions, with labels, targets, y, y_true or ground_truth; of two sets with cal_ or val_ and test_ before or behind them; or confidence, with correct or with predicted and labels"

// rankOf returns the line of scoreNames that has a name, the number of lines for one of a confidence alone, or -1.
func rankOf(name string) int {
	for i, s := range scoreNames {
		if slices.Contains(s.names, name) {
			return i
		}
	}
	if isConfidenceName(name) {
		return len(scoreNames)
	}
	return -1
}

// isConfidenceName reports whether a name is one of a confidence alone: one of confidenceNames as its first or last word, or
// a largest probability, such as max_softmax_prob.
func isConfidenceName(name string) bool {
	words := strings.Split(name, "_")
	if slices.Contains(confidenceNames, words[0]) && len(words) == 2 && words[1] == "score" || slices.Contains(confidenceNames, words[len(words)-1]) {
		return true
	}
	if slices.Contains([]string{"pmax", "maxprob", "msp"}, name) {
		return true
	}
	largest := lists.Where(words, func(w string) bool { return slices.Contains([]string{"max", "maximum", "top", "top1"}, w) })
	return len(largest) == 1 && len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool {
		return w != largest[0] && !slices.Contains([]string{"p", "prob", "probs", "proba", "probability", "softmax"}, w)
	})
}

// IsScores reports whether a name is one of scores, such as logits.
func IsScores(name string) bool { return rankOf(titleName(name)) >= 0 }

// IsLabels reports whether a name is one of labels, such as targets.
func IsLabels(name string) bool { return slices.Contains(labelNames, titleName(name)) }

// IsOutcomes reports whether a name is one of what a confidence alone needs in the place of labels or beside them:
// flags of correctness, or predicted classes.
func IsOutcomes(name string) bool {
	return slices.Contains(correctNames, titleName(name)) || isPredicted(titleName(name))
}

// IsBeside reports whether a name is one of weights, groups or folds.
func IsBeside(name string) bool {
	return slices.ContainsFunc(isBeside[:], func(is func(string) bool) bool { return is(titleName(name)) })
}

// KindOfName returns what scores of a name hold; AnyKind where the name does not say it.
func KindOfName(name string) Kind {
	switch i := rankOf(titleName(name)); {
	case i == len(scoreNames):
		return KindConfidence
	case i >= 0:
		return scoreNames[i].kind
	}
	return AnyKind
}

// plainName returns a name in lower case, with _ between words. The minus of a number, as in p(-1), stays.
func plainName(name string) string {
	letters := []rune(strings.ToLower(name))
	for i, r := range letters {
		minus := r == '-' && i+1 < len(letters) && unicode.IsDigit(letters[i+1]) && (i == 0 || !unicode.IsLetter(letters[i-1]) && !unicode.IsDigit(letters[i-1]))
		if r == ' ' || r == '.' || r == '-' && !minus {
			letters[i] = '_'
		}
	}
	return string(letters)
}

// titleName is plainName with _ where a capital letter begins a word, as in yTrue or PatientID.
func titleName(name string) string {
	letters := []rune(name)
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || unicode.IsUpper(letters[i-1]) && i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return plainName(b.String())
}

// RoleOf returns the split that the name of an array states, or none, and the rest of the name.
func RoleOf(name string) (split Split, role string) {
	var rest []string
	for _, word := range strings.Split(titleName(name), "_") {
		if word == "oof" { // out of fold: one set
			continue
		}
		if of := SplitOf(word); of != "" {
			split = of
		} else {
			rest = append(rest, word)
		}
	}
	return split, strings.Join(rest, "_")
}

// isLabelArray reports whether the array has the type and shape of labels: n or n x 1 integers.
func isLabelArray(a npy.Named) bool {
	return a.DType.Integer() && (len(a.Shape) == 1 || len(a.Shape) == 2 && a.Shape[1] == 1)
}

// isScoreArray reports whether the array can be scores: n x k, or n that are no integers. Integers n are
// labels, whatever their name is: scikit-learn's y_pred is the predicted class.
func isScoreArray(a npy.Named) bool {
	return a.DType != "" && (len(a.Shape) == 1 || len(a.Shape) == 2) && !isLabelArray(a)
}

// isUnnamed reports whether the name is that of numpy.savez for an array without one.
func isUnnamed(a npy.Named) bool {
	number, ok := strings.CutPrefix(a.Name, "arr_")
	_, err := strconv.Atoi(number)
	return ok && err == nil
}

// rowsOf returns the length of the first axis.
func rowsOf(a npy.Named) int {
	if len(a.Shape) == 0 {
		return -1
	}
	return a.Shape[0]
}

// Chosen are the names of the arrays that make a set.
type Chosen struct {
	Split          Split // Cal, Test, or none
	Logits, Labels string
	Predicted      string // of a confidence alone with labels that are classes; else empty
	Kind           Kind   // that the name of the scores states
	Beside                // names of arrays beside the labels

	maybe string // predictions beside one score a row, see Decide
}

// String says what was taken.
func (c Chosen) String() string { return c.scored() + c.beside() }

// scored names the scores and the labels.
func (c Chosen) scored() string {
	switch {
	case c.Predicted != "":
		return fmt.Sprintf("%s with the predictions %s and the labels %s", c.Logits, c.Predicted, c.Labels)
	case c.Kind == KindConfidence:
		return fmt.Sprintf("%s with the outcomes %s", c.Logits, c.Labels)
	}
	return fmt.Sprintf("%s with the labels %s", c.Logits, c.Labels)
}

// beside names the arrays beside the labels.
func (c Chosen) beside() string {
	text := ""
	for _, x := range []struct{ what, name string }{{"weights", c.Weights}, {"groups", c.Groups}, {"folds", c.Folds}} {
		if x.name != "" {
			text += fmt.Sprintf(", the %s %s", x.what, x.name)
		}
	}
	return text
}

// Taken says which arrays of a file Choose took; nothing where the file has these alone, under the
// names logits and labels.
func Taken(arrays []npy.Named, sets []Chosen) string {
	plain := len(lists.Where(arrays, func(a npy.Named) bool { _, role := RoleOf(a.Name); return rankOf(role) >= 0 || IsLabels(role) })) == 2*len(sets)
	var took []string
	used := map[string]bool{}
	for _, s := range sets {
		for _, name := range []string{s.Logits, s.Labels, s.Predicted, s.maybe, s.Weights, s.Groups, s.Folds} {
			used[name] = true
		}
		_, scores := RoleOf(s.Logits)
		_, labels := RoleOf(s.Labels)
		plain = plain && scores == "logits" && labels == "labels" && s.Beside == Beside{}
		took = append(took, s.String())
	}
	left := lists.Where(arrays, func(a npy.Named) bool {
		return !used[a.Name] && slices.ContainsFunc(arrays, func(b npy.Named) bool { return used[b.Name] && rowsOf(a) == rowsOf(b) })
	})
	switch {
	case len(left) > 0:
		return "taken are " + strings.Join(took, ", and ") + ". Not used: " + few(Names(left), 8)
	case plain:
		return ""
	}
	return "taken are " + strings.Join(took, ", and ")
}

// Choose returns the sets of a file: one each of Cal, Test and no split at most, in this order. Type
// and shape decide first: floats n x k or n are scores, integers n are labels, and labels are never
// taken as scores. Then the names decide. Where they name no pair, the only scores and the only labels
// of the file are one. An array without a name, as arr_0 of numpy.savez, is what its type and shape
// say. Two arrays of which either could be meant are an error that lists them, and so
// are scores without labels in a file of two sets. A confidence alone is taken where there are no scores, with flags
// of correctness or with predicted and true classes.
func Choose(arrays []npy.Named) ([]Chosen, error) {
	type candidates struct {
		scores, labels, correct, predicted []npy.Named
		rank                               int
		beside                             [3][]npy.Named
	}
	all := &candidates{} // of any split
	sets := map[Split]*candidates{"": {}, Cal: {}, Test: {}}
	for _, a := range arrays {
		split, role := RoleOf(a.Name)
		s := sets[split]
		rank := rankOf(role)
		switch {
		case rank >= 0 && (isScoreArray(a) || a.DType == "" || isLabelArray(a) && KindOfName(role) == KindProbs): // reading numbers of another type gives the error
			if len(s.scores) == 0 || rank < s.rank {
				s.scores, s.rank = nil, rank
			}
			if rank == s.rank {
				s.scores = append(s.scores, a)
			}
			all.scores = append(all.scores, a)
		case slices.Contains(labelNames, role):
			s.labels, all.labels = append(s.labels, a), append(all.labels, a)
		case slices.Contains(correctNames, role):
			s.correct, all.correct = append(s.correct, a), append(all.correct, a)
		case isPredicted(role):
			s.predicted, all.predicted = append(s.predicted, a), append(all.predicted, a)
		}
		for i, is := range isBeside {
			if is(role) && (a.DType != "" || slices.Contains([]string{"weights", "groups", "folds"}, role)) && (a.DType == "" || len(a.Shape) == 1 || len(a.Shape) == 2 && a.Shape[1] == 1) {
				s.beside[i], all.beside[i] = append(s.beside[i], a), append(all.beside[i], a)
			}
		}
	}
	// choose returns the set of candidates; ok is false where they make none.
	choose := func(split Split, c *candidates) (set Chosen, ok bool, err error) {
		alone := len(c.scores) > 0 && !slices.ContainsFunc(c.scores, func(a npy.Named) bool { _, role := RoleOf(a.Name); return rankOf(role) != len(scoreNames) })
		switch {
		case alone && len(c.correct) > 0:
			set, err = pair(split, c.scores, c.correct)
		case alone && len(c.predicted) > 0 && len(c.labels) > 0:
			if set, err = pair(split, c.scores, c.labels); err == nil {
				err = only("predictions", c.predicted)
				set.Predicted = c.predicted[0].Name
			}
		case alone && len(c.labels) > 0:
			err = fmt.Errorf("%s is a confidence alone, and %s has classes: it needs the predicted classes too, or whether each prediction is correct", c.scores[0].Name, c.labels[0].Name)
		case !alone && len(c.scores) > 0 && len(c.labels) > 0:
			if set, err = pair(split, c.scores, c.labels); err == nil && len(c.predicted) == 1 && len(c.scores[0].Shape) == 1 && set.Kind != KindLogits && set.Kind != KindLogProbs {
				set.maybe = c.predicted[0].Name
			}
		default:
			return Chosen{}, false, nil
		}
		for i, name := range []*string{&set.Weights, &set.Groups, &set.Folds} {
			list := c.beside[i]
			if err == nil && len(list) > 0 {
				err = only([]string{"weights", "groups", "folds"}[i], list)
				*name = list[0].Name
			}
		}
		return set, err == nil, err
	}
	var found []Chosen
	for _, split := range []Split{Cal, Test, ""} {
		s := sets[split]
		if split == "" && len(found) > 0 {
			continue
		}
		c, ok, err := choose(split, s)
		switch {
		case err != nil:
			return nil, err
		case ok:
			found = append(found, c)
		}
	}
	if len(found) > 0 {
		for _, split := range []Split{Cal, Test} {
			has := slices.ContainsFunc(found, func(c Chosen) bool { return c.Split == split })
			if s := sets[split]; !has && len(s.scores) > 0 && len(s.labels) == 0 {
				return nil, fmt.Errorf("%s has no labels", s.scores[0].Name)
			}
		}
		return found, nil
	}
	if len(all.scores) == 0 {
		all.scores = lists.Where(arrays, func(a npy.Named) bool { return isScoreArray(a) && !a.DType.Integer() && isUnnamed(a) })
	}
	if len(all.labels) == 0 {
		all.labels = lists.Where(arrays, func(a npy.Named) bool {
			return isLabelArray(a) && isUnnamed(a) && (len(all.scores) == 0 || rowsOf(a) == rowsOf(all.scores[0]))
		})
	}
	c, ok, err := choose("", all)
	if !ok {
		return nil, err
	}
	return []Chosen{c}, nil
}

// pair returns the set of the only scores and the only labels.
func pair(split Split, scores, labels []npy.Named) (Chosen, error) {
	if err := cmp.Or(only("scores", scores), only("labels", labels)); err != nil {
		return Chosen{}, err
	}
	_, role := RoleOf(scores[0].Name)
	kind := KindOfName(role)
	if one := scores[0]; (len(one.Shape) == 1 || len(one.Shape) == 2 && one.Shape[1] == 1) && kind == AnyKind && slices.Contains(logOdds, role) {
		kind = KindLogits
	}
	return Chosen{Split: split, Logits: scores[0].Name, Labels: labels[0].Name, Kind: kind}, nil
}

// only returns an error if there are several arrays.
func only(what string, list []npy.Named) error {
	if len(list) < 2 {
		return nil
	}
	var names []string
	for _, a := range list {
		names = append(names, fmt.Sprintf("%s (%s %s)", a.Name, npy.Tuple(a.Shape), a.DType))
	}
	return fmt.Errorf("several arrays can be the %s: %s", what, strings.Join(names, ", "))
}

// ArrayOf returns the name of the array in a path: that of the member, or of the .npy file.
func ArrayOf(file string) string {
	if i := strings.LastIndexByte(file, '#'); i >= 0 {
		return file[i+1:]
	}
	return strings.TrimSuffix(path.Base(filepath.ToSlash(file)), formats.ArrayEnding)
}

// Names returns the names of arrays.
func Names(arrays []npy.Named) []string {
	return lists.Values(arrays, func(a npy.Named) string { return a.Name })
}
