package leftover

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// gone is the id of a process that does not exist: Linux has none above 2^22.
const gone = 1<<22 + 1

// TestOnlyAbandonedFilesAreSwept: a file goes if its process has ended, and if nothing
// is known of its process, with age.
func TestOnlyAbandonedFilesAreSwept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are not looked up")
	}
	dir := t.TempDir()
	const mark = "x.tmp-"
	here := host()
	for name, want := range map[string]struct {
		age   time.Duration
		stays bool
	}{
		mark + Suffix(): {48 * time.Hour, true},
		mark + fmt.Sprintf("%s-%d-ab", here, gone):   {0, false},
		mark + fmt.Sprintf("%s-%d-cd", "else", gone): {time.Hour, true},
		mark + fmt.Sprintf("%s-%d-ef", "else", gone): {25 * time.Hour, false},
		mark + "0123":      {2 * time.Hour, false},
		mark + "4567":      {time.Minute, true},
		"results.csv":      {48 * time.Hour, true},
		"x.tmp":            {48 * time.Hour, true},
		mark + "89ab-0-00": {2 * time.Hour, false},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-want.age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		Sweep(dir, func(name string) string {
			_, s, _ := strings.Cut(name, mark)
			return s
		})
		if _, err := os.Stat(path); (err == nil) != want.stays {
			t.Errorf("%s, %s old: %v", name, want.age, err)
		}
	}
}

// TestSuffixNamesThisProcess.
func TestSuffixNamesThisProcess(t *testing.T) {
	one, other := Suffix(), Suffix()
	name, pid, ok := Owner(one)
	if name != host() || pid != os.Getpid() || !ok || one == other {
		t.Errorf("%s %d %v", name, pid, ok)
	}
}
