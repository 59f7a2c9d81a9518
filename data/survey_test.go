package data

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestSurveyLeavesOutWhatIsNoSet: hidden folders, outputs and corrupted sets' folders
// of other names are no sets; files that nobody can read, archives of other names and
// sets in a second layout are problems.
func TestSurveyLeavesOutWhatIsNoSet(t *testing.T) {
	root := t.TempDir()
	for name, b := range map[string][]byte{
		"d/net/cal.npz":                 members(1, "logits", "labels"),
		"d/net/test.npz":                members(1, "logits", "labels"),
		"d-c/net/fog/3/logits.npy":      headerBytes(Float32, []int{0, 2}),
		"d-c/net/fog/9/logits.npy":      headerBytes(Float32, []int{0, 2}), // no severity
		".hidden/net/test.npz":          members(1, "logits", "labels"),
		"results/out/results.csv":       nil,
		"results/out/x/test.npz":        members(1, "logits", "labels"),
		"flat/test_logits.npy":          headerBytes(Float32, []int{0, 2}),
		"d/net/other.npz":               members(1, "outputs", "targets"),
		"d/net/damaged.npz":             []byte("PK"),
		"d/net/weights.pth":             nil,
		"d/net/checkpoint.safetensors":  []byte("short"),
		"a/b/c/e/f/test/logits.npy":     headerBytes(Float32, []int{0, 2}), // too deep
		"d/net/readme.txt":              nil,
		"d/net/ood/logits.npy":          headerBytes(Float32, []int{0, 2}),
		"d/net/head_weight.npy":         nil,
		"d-c/net/fog/3/labels.npy":      nil,
		"d/net/focal/validation.npz":    members(1, "logits", "labels"),
		"d/net/focal/test/features.npy": nil,
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := SurveyFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, ref := range s.Sets {
		sets = append(sets, ref.String())
	}
	if got, want := strings.Join(sets, " "), "d/net/cal d/net/test d/net/focal/cal d-c/net/fog/3"; got != want || s.Layout.String() != DefaultLayout {
		t.Errorf("sets %q in the layout %s, want %q", got, s.Layout, want)
	}
	want := []string{
		"checkpoint.safetensors: truncated: 5 bytes, shorter than any .safetensors file",
		"damaged.npz: not a complete .npz file: ",
		"other.npz: it has the arrays outputs, targets, and no logits under a name that is known; name them logits and labels in files cal.npz and test.npz, or ",
		"weights.pth: a file of torch.save, which only Python can read; save the tensor t as an array: np.save(\"weights.npy\", t.float().cpu().numpy())",
		": 4 sets have the layout \"" + DefaultLayout + "\" and 1 the layout \"{backbone}/{split}_{array}.npy\"; a folder has one; keep the others in a folder of their own",
	}
	for i, p := range s.Problems {
		if i >= len(want) || !strings.Contains(p.Error(), want[i]) {
			t.Errorf("problem %d: %v", i, p)
		}
	}
	if len(s.Problems) != len(want) {
		t.Errorf("%d problems, want %d", len(s.Problems), len(want))
	}
}

// TestSurveyFollowsLinksAndEnds: a folder of arrays may be stored elsewhere, and a link
// to a folder that it is in is left out.
func TestSurveyFollowsLinksAndEnds(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	write := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, headerBytes(Float32, []int{0, 2}), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, "d", "near", "test", "logits.npy"))
	write(filepath.Join(elsewhere, "net", "test", "logits.npy"))
	for link, target := range map[string]string{
		filepath.Join(root, "d", "far"):           filepath.Join(elsewhere, "net"),
		filepath.Join(root, "d", "again"):         root,
		filepath.Join(elsewhere, "net", "around"): filepath.Join(root, "d"),
		filepath.Join(root, "d", "nowhere"):       filepath.Join(elsewhere, "none"),
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err) // Windows asks for a right
		}
	}
	s, err := SurveyFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, ref := range s.Sets {
		sets = append(sets, ref.String())
	}
	if got, want := strings.Join(sets, " "), "d/far/test d/near/test"; got != want || len(s.Problems) > 0 {
		t.Errorf("sets %q, want %q; problems %v", got, want, s.Problems)
	}
}

// survey surveys a folder of the given files.
func survey(t *testing.T, files map[string][]byte) (root string, sets []string, s *Survey) {
	t.Helper()
	root = t.TempDir()
	for name, b := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := SurveyFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range s.Sets {
		sets = append(sets, ref.String())
	}
	return root, sets, s
}

// An archive with the logits of both splits is two sets, and no problem.
func TestSurveyFindsBothSetsOfAnArchive(t *testing.T) {
	_, sets, s := survey(t, map[string][]byte{
		"d/both.npz":  members(1, "val_logits", "val_labels", "test_logits.npy", []byte("x"), "test_labels.npy", []byte("x")),
		"d/early.npz": members(1, "cal_logits", "cal_labels"),
	})
	if got := strings.Join(sets, " "); got != "d/both/cal d/both/test d/early/cal" || len(s.Problems) > 0 {
		t.Errorf("sets %q, problems %v", got, s.Problems)
	}
}

// Files of a set in folders of its dataset and backbone are in the default layout if they
// are in a folder of their split, and in a layout of their own if they are named by it.
func TestSurveyTellsFlatFilesFromTheDefaultLayout(t *testing.T) {
	array := headerBytes(Float32, []int{0, 2})
	for name, want := range map[string]string{
		"d/net/test/logits.npy": DefaultLayout, "d/net/test.npz": DefaultLayout,
		"d/net/test_logits.npy": "{dataset}/{backbone}/{split}_{array}.npy",
		"net/test/logits.npy":   "{backbone}/{split}/{array}.npy",
	} {
		b := array
		if strings.HasSuffix(name, ".npz") {
			b = members(1, "logits", "labels")
		}
		if _, _, s := survey(t, map[string][]byte{name: b}); s.Layout.String() != want || len(s.Sets) != 1 {
			t.Errorf("%s: sets %v in the layout %s, want %s", name, s.Sets, s.Layout, want)
		}
	}
}

// The layout that the manifest states decides, however few sets have it.
func TestSurveyKeepsToTheStatedLayout(t *testing.T) {
	array := headerBytes(Float32, []int{0, 2})
	const stated = "{backbone}/{split}_{array}.npy"
	_, sets, s := survey(t, map[string][]byte{
		"a/test_logits.npy": array, "b/test/logits.npy": array, "c/test/logits.npy": array,
		ManifestName: []byte("layout: \"" + stated + "\"\n"),
	})
	if got := strings.Join(sets, " "); got != "/a/test" || s.Layout.String() != stated || len(s.Problems) > 0 {
		t.Errorf("sets %q in the layout %s, problems %v", got, s.Layout, s.Problems)
	}
}

// Arrays of other names are a problem only where there is no set.
func TestSurveyOfArraysOfOtherNames(t *testing.T) {
	array := headerBytes(Float32, []int{0, 2})
	root, sets, s := survey(t, map[string][]byte{"one.npy": array, "two.npy": array, "three.npy": array})
	want := filepath.ToSlash(root) + "/one.npy: its name is no array of a set, and neither is that of 2 others"
	if len(sets) > 0 || len(s.Problems) != 1 || !strings.HasPrefix(s.Problems[0].Error(), want) {
		t.Errorf("sets %v, problems %v, want %q", sets, s.Problems, want)
	}
	if _, sets, s := survey(t, map[string][]byte{"one.npy": array, "test/logits.npy": array}); len(sets) != 1 || len(s.Problems) > 0 {
		t.Errorf("sets %v, problems %v", sets, s.Problems)
	}
	if _, sets, s := survey(t, nil); len(sets) > 0 || len(s.Problems) > 0 {
		t.Errorf("an empty folder: sets %v, problems %v", sets, s.Problems)
	}
}

// A file is of torch.save by its ending, in any case; an ending alone is no file of it.
func TestFilesOfTorch(t *testing.T) {
	for name, want := range map[string]bool{"a.pt": true, "a.PTH": true, "d/a.pth": true, ".pt": false, "a.ptx": false, "a": false} {
		if got := isTorch(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A survey ends with an error at more files than its limit.
func TestSurveyHasALimit(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for files, ok := range map[int]bool{0: true, maxSurveyed - 3: true, maxSurveyed - 2: false} {
		s := surveying{root: root, fsys: os.DirFS(root), files: files, seen: map[string]bool{}}
		if err := s.walk(); (err == nil) != ok || s.files != files+3 {
			t.Errorf("a folder of two files after %d: %d, error %v", files, s.files, err)
		}
	}
}

// TestSurveyKnowsAFolderByItsRealPath, also where the root is relative and a link is not.
func TestSurveyKnowsAFolderByItsRealPath(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	path := filepath.Join("top", "net", "test", "logits.npy")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, headerBytes(Float32, []int{0, 2}), 0o666)); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"itself": "top", "again": filepath.Join("top", "net")} {
		if err := os.Symlink(filepath.Join(root, target), filepath.Join("top", name)); err != nil {
			t.Skip(err) // Windows asks for a right
		}
	}
	s, err := SurveyFolder("top")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Sets) != 1 || s.Sets[0].String() != "/net/test" {
		t.Errorf("sets %v", s.Sets)
	}
}

// Of folders that are linked to each other, each is looked at once, under its own path.
// There are 10! ways through ten of them.
func TestSurveyLooksAtAFolderOnce(t *testing.T) {
	root := t.TempDir()
	const n = 10
	for i := range n {
		path := filepath.Join(root, strconv.Itoa(i), "test", "logits.npy")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, headerBytes(Float32, []int{0, 2}), 0o666)); err != nil {
			t.Fatal(err)
		}
		for j := range n {
			if err := os.Symlink(filepath.Join("..", strconv.Itoa(j)), filepath.Join(root, strconv.Itoa(i), "a"+strconv.Itoa(j))); err != nil {
				t.Skip(err) // Windows asks for a right
			}
		}
	}
	s := surveying{root: root, fsys: os.DirFS(root), found: map[string][]Ref{}, seen: map[string]bool{}}
	if err := s.walk(); err != nil {
		t.Fatal(err)
	}
	// The root, n folders with a folder and a file each, and n x n links, each of them
	// once as a link and once as a folder that was seen already.
	if want := 1 + 3*n + 2*n*n; s.files != want {
		t.Errorf("looked at %d files and folders, want %d", s.files, want)
	}
	var sets []string
	for _, ref := range s.survey("").Sets {
		sets = append(sets, ref.String())
	}
	want := "/0/test /1/test /2/test /3/test /4/test /5/test /6/test /7/test /8/test /9/test"
	if got := strings.Join(sets, " "); got != want || len(s.problems) > 0 {
		t.Errorf("sets %q, want %q; problems %v", got, want, s.problems)
	}
}
