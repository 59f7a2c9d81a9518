package called

import "testing"

func TestOnlyKnownNamesAreRepeated(t *testing.T) {
	for arg, want := range map[string]string{
		"qats":                             "qats",
		"/usr/local/bin/qatsbench":         "qatsbench",
		"./qatsbench.exe":                  "qatsbench",
		"python3 -m qatsbench":             "python3 -m qatsbench",
		"qats.test":                        "qats",
		"a name with %s\nand another line": "qats",
		"":                                 "qats",
	} {
		if got := command([]string{arg, "try"}); got != want {
			t.Errorf("%q: %q, want %q", arg, got, want)
		}
	}
	if got := command(nil); got != "qats" {
		t.Errorf("without a name: %q, want qats", got)
	}
}

func TestNameIsTheLastWord(t *testing.T) {
	if Name() != "qats" || Command() != "qats" {
		t.Errorf("of a test: %q, %q, want qats", Name(), Command())
	}
}
