package submission

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHostileEntries: an entry that is meant to do harm, or a mistake of that kind, is refused with its place before anything of it runs.
func TestHostileEntries(t *testing.T) {
	code := Source{"mine.py": []byte("def fit(logits, labels): pass\ndef apply(model, logits): pass\n")}
	const head = "experiment,dataset,backbone,loss,corruption,severity,variant,method,n,accuracy,argmax_change,ece,aece,ece_debiased,ece_sweep,ece_sweep_l2,mce,ks,nll,nll_top,brier,brier_top,auroc,aurc\n"
	const row = "v2-lite,chile,mlp,ce,,,,mine,600,.6,0,.03,.03,.001,.02,.03,.1,.02,.9,.6,.5,.2,.6,.3\n"
	replace := func(text, from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("no %q in %s", from, text)
		}
		return strings.Replace(text, from, to, 1)
	}
	edit := func(file, from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, file)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(replace(string(b), from, to)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	// csv replaces results.csv, and the card says so.
	csv := func(text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			old, err := fileDigest(filepath.Join(dir, ResultsFile))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ResultsFile), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			now, err := fileDigest(filepath.Join(dir, ResultsFile))
			if err != nil {
				t.Fatal(err)
			}
			edit(CardFile, old, now)(t, dir)
		}
	}
	link := func(to, name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			os.Remove(path)
			if err := os.Symlink(to, path); err != nil {
				t.Skip(err)
			}
		}
	}
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*testing.T, string)
		want   string
	}{
		"none":                  {func(*testing.T, string) {}, ""},
		"a name that leads out": {edit(CardFile, "name: mine", "name: ../mine"), "card.yaml: name: "},
		"another's name":        {edit(CardFile, "name: mine", "name: qats"), "card.yaml: name: qats is a method of this project"},
		"another's alias":       {edit(CardFile, "name: mine", "name: isotonic-top"), "card.yaml: name: isotonic-top is another name of ir-top"},
		"another's label":       {edit(CardFile, "label: Mine", "label: QaTS"), "card.yaml: label: QaTS is the label of qats"},
		"another folder":        {edit(CardFile, "name: mine", "name: yours"), "card.yaml: name: yours, but the folder is mine"},
		"a label with a space":  {edit(CardFile, "label: Mine", `label: "QATS "`), "card.yaml: label: "},
		"two scripts":           {edit(CardFile, "label: Mine", "label: Q\u0430TS"), `card.yaml: label: "QаTS" mixes letters of Cyrillic and Latin`},
		"another form":          {edit(CardFile, "label: Mine", "label: \uff31aTS"), "card.yaml: label: "},
		"a formula":             {edit(CardFile, "label: Mine", `label: "=cmd|' /C calc'!A0"`), "card.yaml: label: "},
		"HTML":                  {edit(CardFile, "label: Mine", `label: "<script>alert(1)</script>"`), "card.yaml: label: "},
		"a terminal's sequence": {edit(CardFile, "label: Mine", `label: "a\x1b[2J"`), "card.yaml: label: "},
		"a long label":          {edit(CardFile, "label: Mine", "label: "+strings.Repeat("m", 31)), "has more than 30 characters"},
		"an unknown key":        {edit(CardFile, "label: Mine", "label: Mine\nverified: true"), "card.yaml:5: field verified not found"},
		"two documents":         {edit(CardFile, "protocol:", "protocol: v2\n---\nprotocol:"), "card.yaml"},
		"code that leads out":   {edit(CardFile, "code: [mine.py]", "code: [../../x.py]"), "card.yaml: code: "},
		"an absolute path":      {edit(CardFile, "code: [mine.py]", "code: [/etc/passwd]"), "card.yaml: code: "},
		"a path of Windows":     {edit(CardFile, "code: [mine.py]", `code: ['c:\x.py']`), "card.yaml: code: "},
		"a command of Python":   {edit(CardFile, "code: [mine.py]", "code: [mine.py]\ncommand: [sh, -c, reboot]"), "card.yaml: command, serves: only of a program"},
		"a long call":           {edit(CardFile, "code: [mine.py]", "code: [mine.py]\nlimit: 100h"), "card.yaml: limit: "},
		"another protocol":      {edit(CardFile, "protocol: v2", "protocol: v0"), "card.yaml: protocol: "},
		"no digest":             {edit(CardFile, "results: ", "results: 0"), "card.yaml: digests: results: "},
		"other code":            {edit("code/mine.py", "pass", "exit()"), "card.yaml: digests: code: "},
		"a file too many":       {write("code/other.py", "x"), "other.py: no file of an entry"},
		"a hidden file":         {write(".gitattributes", "x"), ".gitattributes: no file of an entry"},
		"a binary file":         {write("code/mine.py", "MZ\x00\x01"), "mine.py: a binary file"},
		"a large file":          {write("code/mine.py", strings.Repeat("#", mostBytes+1)), "more than 1 MB"},
		"a link to the code":    {link("/etc/passwd", "code/mine.py"), "not a regular file"},
		"a link to the results": {link("/dev/zero", ResultsFile), "not a regular file"},
		"a setting of its own":  {csv(head + replace(row, "chile", "../../x")), `results.csv:2: "../../x/mlp" is no setting of tier lite`},
		"another's rows":        {csv(head + replace(row, "mine", "=ts()")), `results.csv:2: column method: "=ts()", but the entry is mine`},
		"a number too large":    {csv(head + replace(row, ",.03,", ",1e300,")), "results.csv:2: column ece"},
		"a number that is none": {csv(head + replace(row, ",.9,", ",NaN,")), "results.csv:2: column nll"},
		"a second row":          {csv(head + row + row), "results.csv:3: the same identifiers"},
		"another column":        {csv(replace(head, "aece", "best") + row), "results.csv:1: column aece is missing"},
		"a card without an end": {link("/dev/zero", CardFile), "card.yaml: not a regular file"},
		"a record of its own":   {write("verified.yaml", "verdict: equal\n"), "verified.yaml: no file of an entry"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "mine")
			card := described("mine", Python, "mine.py")
			tier := must[*Tier](t)(ReadTier(Version, Lite))
			if err := Write(dir, card, code, tier, nil, nil, nil); err != nil {
				t.Fatal(err)
			}
			csv(head+row)(t, dir)
			c.change(t, dir)
			_, err := Read(dir)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestEntryOfAPackage: the exported entry is found, and what is none is refused with its file.
func TestEntryOfAPackage(t *testing.T) {
	for text, want := range map[string]string{
		"package mine\n\nvar Entry = calib.NewEntry[Mine, mineMap](calib.Entry{})\n":                            "",
		"package mine\n\nvar Entry calib.Entry = made()\n":                                                      "",
		"package mine\n\nvar entry = calib.NewEntry[Mine, mineMap](calib.Entry{})\n":                            "mine.go: 0 exported variables",
		"package mine\n\nvar A, B = calib.NewEntry[M, N](calib.Entry{}), calib.NewEntry[M, N](calib.Entry{})\n": "mine.go: 2 exported variables",
		"package main\n\nvar Entry calib.Entry\n":                                                               "mine.go: package main",
		"package mine\n\nvar Entry = \n":                                                                        "mine.go:3:14: ",
	} {
		_, err := entryVariable(Source{"mine.go": []byte(text)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestSourceOf: a folder has the Go files of a package, and of a program all files but hidden ones, by their paths.
func TestSourceOf(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"mine.go", "mine_test.go", "lib/part.awk", ".git/config", "__pycache__/x.pyc", "run.sh"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("text"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for whole, want := range map[bool][]string{false: {"mine.go"}, true: {"lib/part.awk", "mine.go", "mine_test.go", "run.sh"}} {
		if files, code, err := SourceOf([]string{dir}, whole); err != nil || !slices.Equal(files, want) || !slices.Equal(code.files(), want) {
			t.Errorf("%v %v %v, want %v", files, code.files(), err, want)
		}
	}
	if _, _, err := SourceOf([]string{filepath.Join(dir, "run.sh"), filepath.Join(dir, "run.sh")}, false); err == nil || !strings.Contains(err.Error(), "a second file of this name") {
		t.Error(err)
	}
	if _, _, err := SourceOf([]string{filepath.Join(dir, "lib")}, false); err == nil || !strings.Contains(err.Error(), "--command") {
		t.Error(err)
	}
}
