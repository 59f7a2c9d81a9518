package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goodList = `
//   - Formula: p = softmax(l/T), T in [0.001, 1000], times 2 for
//     rows with -1
//   - Reference: A and B 2017
//   - Compared with: none
//   - Agreement: not compared
//   - Departures: none. See [Other].
`

// read returns the facts of a package whose type Method has the comment.
func read(t *testing.T, comment string) (map[string]Sheet, error) {
	t.Helper()
	dir := t.TempDir()
	text := "package calib\n\n// Method is a method.\n//" + comment + "type Method struct{}\n\n// Other is another type.\ntype Other struct{}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Read(dir)
}

func TestFactsAreTheListAtTheEndOfAComment(t *testing.T) {
	got, err := read(t, goodList)
	want := "p = softmax(l/T), T in [0.001, 1000], times 2 for rows with -1|A and B 2017|none|not compared|none. See Other."
	if err != nil || len(got) != 1 || strings.Join(got["Method"], "|") != want {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTheListOfAMetricHasItsName(t *testing.T) {
	got, err := read(t, "\n//   - Metric: ece\n"+goodList[1:])
	if err != nil || len(got) != 1 || len(got["ece"]) != len(keys) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestListsThatLackAPartAreErrors(t *testing.T) {
	for _, c := range []struct{ comment, want string }{
		{strings.Replace(goodList, "//   - Departures: none. See [Other].\n", "", 1), "no item Departures"},
		{strings.Replace(goodList, "//   - Compared with: none\n", "", 1), `item 3 of the list of facts is "Agreement"`},
		{strings.Replace(goodList, "Agreement: not compared", "Agreement:", 1), `item 4 of the list of facts is "Agreement:"`},
		{goodList + "//   - Departures: more\n", `item 6`},
		{goodList + "//\n// More prose.\n", "not at its end"},
	} {
		if _, err := read(t, c.comment); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestAFileThatDiffersFromItsSourceIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "facts_generated.go")
	source, err := Source("all", "example.org/calib", "calib.Sheet", map[string]Sheet{"b": {"f", "r", "c", "a", "d"}, "a": {`"`, "r", "c", "a", "d"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := Current(file, source, true); err != nil {
		t.Error(err)
	}
	if err := Current(file, append(source, '\n'), false); err == nil {
		t.Error("a file that lacks a line is current")
	}
}
