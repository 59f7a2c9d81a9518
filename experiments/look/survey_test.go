package look

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
)

// TestSurveyLeavesOutWhatIsNoSet: hidden folders, outputs and corrupted sets' folders
// of other names are not sets; files that nobody can read, archives of other names and
// sets in a second layout are problems.
func TestSurveyLeavesOutWhatIsNoSet(t *testing.T) {
	root := t.TempDir()
	for name, b := range map[string][]byte{
		"d/net/cal.npz":                 members("logits", "labels"),
		"d/net/test.npz":                members("logits", "labels"),
		"d-c/net/fog/3/logits.npy":      nil,
		"d-c/net/fog/9/logits.npy":      nil, // no severity
		".hidden/net/test.npz":          members("logits", "labels"),
		"results/out/results.csv":       nil,
		"results/out/x/test.npz":        members("logits", "labels"),
		"flat/test_logits.npy":          nil,
		"d/net/other.npz":               members("hidden", "targets"),
		"d/net/damaged.npz":             []byte("PK"),
		"d/net/weights.pth":             nil,
		"d/net/checkpoint.safetensors":  []byte("short"),
		"a/b/c/e/f/test/logits.npy":     nil, // too deep
		"d/net/readme.txt":              nil,
		"d/net/ood/logits.npy":          nil,
		"d/net/head_weight.npy":         nil,
		"d-c/net/fog/3/labels.npy":      nil,
		"d/net/focal/validation.npz":    members("logits", "labels"),
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
	s, err := surveyFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, ref := range s.Sets {
		sets = append(sets, ref.String())
	}
	if got, want := strings.Join(sets, " "), "d/net/cal d/net/test d/net/focal/cal d-c/net/fog/3"; got != want || s.Layout.String() != folder.DefaultLayout {
		t.Errorf("sets %q in the layout %s, want %q", got, s.Layout, want)
	}
	want := []string{
		"checkpoint.safetensors: truncated: 5 bytes, shorter than any .safetensors file",
		"damaged.npz: not a complete .npz file: ",
		"other.npz: it has the arrays hidden, targets, and no logits under a name that is known; name them logits and labels in files cal.npz and test.npz, or ",
		"weights.pth: a file of torch.save, which only Python can read; save the tensor t as an array: np.save(\"weights.npy\", t.float().cpu().numpy())",
		": 4 sets have the layout \"" + folder.DefaultLayout + "\" and 1 the layout \"{backbone}/{split}_{array}.npy\"; a folder has one; keep the others in a folder of their own",
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
		if err := os.WriteFile(path, nil, 0o666); err != nil {
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
	s, err := surveyFolder(root)
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

// surveyOf surveys a folder of the given files.
func surveyOf(t *testing.T, files map[string][]byte) (root string, sets []string, s *survey) {
	t.Helper()
	root = t.TempDir()
	for name, b := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := surveyFolder(root)
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
	_, sets, s := surveyOf(t, map[string][]byte{
		"d/both.npz":  members("val_logits", "val_labels", "test_logits", "test_labels"),
		"d/early.npz": members("cal_logits", "cal_labels"),
	})
	if got := strings.Join(sets, " "); got != "d/both/cal d/both/test d/early/cal" || len(s.Problems) > 0 {
		t.Errorf("sets %q, problems %v", got, s.Problems)
	}
}

// Files of a set in folders of its dataset and backbone are in the default layout if they
// are in a folder of their split, and in a layout of their own if they are named by it.
func TestSurveyTellsFlatFilesFromTheDefaultLayout(t *testing.T) {
	for name, want := range map[string]string{
		"d/net/test/logits.npy": folder.DefaultLayout, "d/net/test.npz": folder.DefaultLayout,
		"d/net/test_logits.npy": "{dataset}/{backbone}/{split}_{array}.npy",
		"net/test/logits.npy":   "{backbone}/{split}/{array}.npy",
	} {
		var b []byte
		if strings.HasSuffix(name, ".npz") {
			b = members("logits", "labels")
		}
		if _, _, s := surveyOf(t, map[string][]byte{name: b}); s.Layout.String() != want || len(s.Sets) != 1 {
			t.Errorf("%s: sets %v in the layout %s, want %s", name, s.Sets, s.Layout, want)
		}
	}
}

// The layout that the manifest states decides, however few sets have it.
func TestSurveyKeepsToTheStatedLayout(t *testing.T) {
	const stated = "{backbone}/{split}_{array}.npy"
	_, sets, s := surveyOf(t, map[string][]byte{
		"a/test_logits.npy": nil, "b/test/logits.npy": nil, "c/test/logits.npy": nil,
		data.ManifestName: []byte("layout: \"" + stated + "\"\n"),
	})
	if got := strings.Join(sets, " "); got != "/a/test" || s.Layout.String() != stated || len(s.Problems) > 0 {
		t.Errorf("sets %q in the layout %s, problems %v", got, s.Layout, s.Problems)
	}
}

// Arrays of other names are a problem only where there is no set.
func TestSurveyOfArraysOfOtherNames(t *testing.T) {
	root, sets, s := surveyOf(t, map[string][]byte{"one.npy": nil, "two.npy": nil, "three.npy": nil})
	want := filepath.ToSlash(root) + "/one.npy: neither its name nor those of 2 others name an array of a set"
	if len(sets) > 0 || len(s.Problems) != 1 || !strings.HasPrefix(s.Problems[0].Error(), want) {
		t.Errorf("sets %v, problems %v, want %q", sets, s.Problems, want)
	}
	if _, sets, s := surveyOf(t, map[string][]byte{"one.npy": nil, "test/logits.npy": nil}); len(sets) != 1 || len(s.Problems) > 0 {
		t.Errorf("sets %v, problems %v", sets, s.Problems)
	}
	if _, sets, s := surveyOf(t, nil); len(sets) > 0 || len(s.Problems) > 0 {
		t.Errorf("an empty folder: sets %v, problems %v", sets, s.Problems)
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
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"itself": "top", "again": filepath.Join("top", "net")} {
		if err := os.Symlink(filepath.Join(root, target), filepath.Join("top", name)); err != nil {
			t.Skip(err) // Windows asks for a right
		}
	}
	s, err := surveyFolder("top")
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
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		for j := range n {
			if err := os.Symlink(filepath.Join("..", strconv.Itoa(j)), filepath.Join(root, strconv.Itoa(i), "a"+strconv.Itoa(j))); err != nil {
				t.Skip(err) // Windows asks for a right
			}
		}
	}
	s := surveying{root: root, fsys: os.DirFS(root), found: map[string][]data.Ref{}, filed: map[filed]bool{}, seen: map[string]bool{}}
	if err := s.walk(); err != nil {
		t.Fatal(err)
	}
	// The root, n folders with a folder and a file each, and n x n links, each of them
	// once as a link and once as a folder that was seen already.
	if want := 1 + 3*n + 2*n*n; s.files != want {
		t.Errorf("looked at %d files and folders, want %d", s.files, want)
	}
	var sets []string
	for _, ref := range s.choose("").Sets {
		sets = append(sets, ref.String())
	}
	want := "/0/test /1/test /2/test /3/test /4/test /5/test /6/test /7/test /8/test /9/test"
	if got := strings.Join(sets, " "); got != want || len(s.problems) > 0 {
		t.Errorf("sets %q, want %q; problems %v", got, want, s.problems)
	}
}

// A set is of a layout whether the folder is named or its parent is.
func TestSurveyOfOneSet(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"cal/logits.npy", "cal/labels.npy", "test/logits.npy", "test/labels.npy", "readme.txt", "other.pt"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := surveyFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Sets) != 2 || s.Layout.String() != "{split}/{array}.npy" {
		t.Errorf("sets %v in the layout %s", s.Sets, s.Layout)
	}
	if _, err := surveyFolder(filepath.Join(root, "readme.txt")); err == nil || !strings.HasSuffix(err.Error(), "not a folder") {
		t.Errorf("a file: %v", err)
	}
	if _, err := surveyFolder(filepath.Join(root, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// Corrupted sets may be archives, named by their severity.
func TestSurveyFindsCorruptedArchives(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"d/net/fog/1.npz", "d/net/fog/5.npz", "d/net/focal/snow/2.npz", "d/net/fog/6.npz", "7.npz", "d/net/ood.npz"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, members("logits", "labels"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := surveyFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, ref := range s.Sets {
		sets = append(sets, ref.String())
	}
	if got := strings.Join(sets, " "); got != "d/net/fog/1 d/net/fog/5 d/net/focal/snow/2" || len(s.Problems) != 2 {
		t.Errorf("sets %q, problems %v", got, s.Problems)
	}
}

// members returns an .npz file with members of these names.
func members(names ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		if _, err := z.Create(name + ".npy"); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestSeveritiesAreOneToFive(t *testing.T) {
	for name, want := range map[string]int{"1": 1, "3": 3, "5": 5, "0": 0, "6": 0, "": 0, "12": 0, "a": 0} {
		if got := severityOf(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

// Names of scores and labels that many people give are recognised, as those of try are.
func TestNamesOfPeersAreRecognised(t *testing.T) {
	for files, want := range map[string]string{
		"d/test-logits.npz:logits,targets d/val-logits.npz:logits,targets":     "{backbone}/{split}-logits.npz#{array}",
		"val.npz:probs,y test.npz:probs,y":                                     "{split}.npz#{array}",
		"net.npz:val_probs,val_y,test_probs,test_y":                            "{backbone}.npz#{split}_{array}",
		"net.npz:logits_val,labels_val,logits_test,labels_test":                "{backbone}.npz#{array}_{split}",
		"predictions_test.npz:scores,labels predictions_cal.npz:scores,labels": "predictions_{split}.npz#{array}",
	} {
		root := t.TempDir()
		for _, file := range strings.Fields(files) {
			name, members, _ := strings.Cut(file, ":")
			path := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			var columns []npy.Column
			for i, m := range strings.Split(members, ",") {
				if i%2 == 0 {
					columns = append(columns, npy.Column{Name: m, Float64: []float64{.5, .25}})
				} else {
					columns = append(columns, npy.Column{Name: m, Int32: []int32{0, 1}})
				}
			}
			var b bytes.Buffer
			if err := errors.Join(npy.WriteNPZ(&b, columns...), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s, err := surveyFolder(root)
		if err != nil || s.Layout.String() != want || len(s.Sets) != 2 || len(s.Problems) > 0 {
			t.Errorf("%s: %+v, %v", files, s, err)
			continue
		}
		f, err := folder.Open(root, s.Layout, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range s.Sets {
			if has := f.Has(ref) & scored; has != scored {
				t.Errorf("%s: %v has %v", files, ref, has)
			}
		}
	}
}
