// Command size prints how large the program is, and how much of it a small run enters, beside a commit of before:
//
//	go run ./docs/size            # beside the last tag v*, or else main
//	go run ./docs/size COMMIT
//
// Lines, files and exported names are those of Go, by root folder. The walk is what a command enters, as
// go build -cover counts it: files, packages, functions and statements. docs/size/walk.yaml is its spec. There is no
// limit: who reads the numbers judges them.
package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

// tree is the files of a commit, or of the work tree, with what is counted of them.
type tree struct {
	dir   string
	sizes map[string]size // by root folder
	walks []walk          // in the order of ways
}

func run(args []string) error {
	temporary, err := os.MkdirTemp("", "size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	now := &tree{dir: filepath.Join(temporary, "now")}
	if err := unpack("git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read --create 2> /dev/null", now.dir); err != nil {
		return err
	}
	if err := now.measure(); err != nil {
		return err
	}
	before, name := &tree{}, ""
	if name = commitBefore(args); name != "" {
		before.dir = filepath.Join(temporary, "before")
		if err := unpack("git archive "+name, before.dir); err != nil {
			return err
		}
		if err := before.measure(); err != nil { // it may not have what the walk needs
			fmt.Fprintf(os.Stderr, "size: %s: %v\n", name, err)
		}
	}
	print(now, before, name)
	return nil
}

// commitBefore returns the commit to compare with; "" if there is none.
func commitBefore(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	if tag, err := exec.Command("git", "describe", "--tags", "--match", "v*", "--abbrev=0").Output(); err == nil {
		return strings.TrimSpace(string(tag))
	}
	for _, name := range []string{"origin/main", "main"} {
		if exec.Command("git", "rev-parse", "--verify", "--quiet", name).Run() == nil {
			return name
		}
	}
	return ""
}

// unpack writes the files that a command of the shell packs by tar below dir.
func unpack(packed, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", packed+` | tar --extract --directory="$0"`, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", packed, err, out)
	}
	return nil
}

// measure counts the tree, and walks it.
func (t *tree) measure() (err error) {
	if t.sizes, err = sizesOf(t.dir); err != nil {
		return err
	}
	t.walks, err = walksOf(t.dir)
	return err
}

// print prints a tree beside another one, which may be empty.
func print(now, before *tree, name string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush()
	row := func(title string, cells ...string) { fmt.Fprintln(w, title+"\t"+strings.Join(cells, "\t")+"\t") }
	beside := func(n, m int) string {
		if name == "" {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%d (%+d)", n, n-m)
	}
	if name != "" {
		fmt.Printf("Lines of Go, and in brackets what changed since %s.\n\n", name)
	}
	row("", "code", "comments", "code of tests", "files", "exported names")
	var all, allBefore size
	for _, root := range slices.Sorted(maps.Keys(now.sizes)) {
		n, m := now.sizes[root], before.sizes[root]
		all.add(n)
		allBefore.add(m)
		row(root, beside(n.code, m.code), beside(n.comments, m.comments), beside(n.tests, m.tests), beside(n.files, m.files), beside(n.names, m.names))
	}
	row("all", beside(all.code, allBefore.code), beside(all.comments, allBefore.comments), beside(all.tests, allBefore.tests), beside(all.files, allBefore.files), beside(all.names, allBefore.names))
	w.Flush()

	fmt.Print("\nWhat a command enters, beyond what --version enters.\n\n")
	row("", "files", "packages", "functions", "statements")
	for i, of := range now.walks {
		var was walk
		if i < len(before.walks) {
			was = before.walks[i]
		}
		row(of.name, beside(len(of.files), len(was.files)), beside(of.packages(), was.packages()), beside(of.functions, was.functions), beside(of.statements, was.statements))
	}
	w.Flush()

	fmt.Print("\nThe files of each by root folder.\n\n")
	var names []string
	roots := map[string]bool{}
	for _, of := range now.walks {
		names = append(names, of.name)
		for _, file := range of.files {
			roots[rootOf(file)] = true
		}
	}
	row("", names...)
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		var cells []string
		for i, of := range now.walks {
			m := 0
			if i < len(before.walks) {
				m = before.walks[i].below(root)
			}
			cells = append(cells, beside(of.below(root), m))
		}
		row(root, cells...)
	}
}

// rootOf returns the first folder of a path.
func rootOf(file string) string {
	root, _, below := strings.Cut(file, "/")
	if !below {
		return "."
	}
	return root
}
