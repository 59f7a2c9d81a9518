package table

import (
	"regexp"
	"strings"
)

// The texts of notes in results.csv that a table prints in other words.
var (
	// "t_11 >= 0.001": the temperature of bin 11 is as low as it may be.
	boundText = regexp.MustCompile(`^(?:a temperature is at its bound|the threshold is at the end of the grid): (.*)$`)
	oneBound  = regexp.MustCompile(`^(?:bin (\d+): )?([A-Za-z]+)(?:_(\d+))? (>=|<=) [-+.\deE]+$`)

	// "skip: gc needs features of the test set, absent for cifar10/resnet50"
	absentText = regexp.MustCompile(`^skip: \S+ needs (.*), absent for \S+$`)
	skipText   = regexp.MustCompile(`^skip: `)
	failText   = regexp.MustCompile(`^fail: `)
)

// ArraysInWords spells out the names of arrays in "ood of the calibration set", for
// example.
func ArraysInWords(text string) string {
	return strings.NewReplacer("augmented of", "augmented views of", "ood of", "out-of-distribution logits of").Replace(text)
}

// InWords returns the text of a note for readers: bounds by their names, and the
// reason of a skip without the method and the setting, which the place of the note
// says. So equal reasons share a note.
func InWords(text string) string {
	if m := absentText.FindStringSubmatch(text); m != nil {
		return "not run: needs " + ArraysInWords(m[1])
	}
	if m := boundText.FindStringSubmatch(text); m != nil {
		var list []string
		for _, bound := range strings.Split(m[1], ", ") {
			words := boundInWords(bound)
			if words == "" {
				return text
			}
			list = append(list, words)
		}
		return strings.Join(list, ", ")
	}
	if rest, ok := strings.CutSuffix(text, ": equal to ts"); ok {
		return rest + ", so equal to TS"
	}
	text = skipText.ReplaceAllString(text, "not run: ")
	return failText.ReplaceAllString(text, "failed: ")
}

// List joins names as in "A, B and C". It needs one name or more.
func List(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

var numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// WithoutNumbers returns a text with # in place of its numbers, to find texts that differ
// in their numbers only.
func WithoutNumbers(text string) string { return numbers.ReplaceAllString(text, "#") }

// boundInWords says "t_11 >= 0.001" as "T at its lower bound in bin 11"; it returns
// "" for a text that it does not know.
func boundInWords(bound string) string {
	m := oneBound.FindStringSubmatch(bound)
	if m == nil {
		return ""
	}
	name, bin := m[2], m[1]+m[3]
	if name == "t" {
		name = "T"
	}
	side := "lower"
	if m[4] == "<=" {
		side = "upper"
	}
	text := name + " at its " + side + " bound"
	if bin != "" {
		text += " in bin " + bin
	}
	return text
}
