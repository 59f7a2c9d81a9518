package data_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/bundletest"
	"github.com/qats-bench/qats/metrics"
)

// bundle is the folder of measured arrays that comes with the project.
const bundle = "bundle"

// bundleLimit is the size in bytes up to which the folder may be committed: 47 MB of networks on images and
// texts, and 8 MB of data sets in tables.
const bundleLimit = 55_000_000

// tabularLimit is the part of the data sets in tables.
const tabularLimit = 8_000_000

func bundleManifest(t *testing.T) folder.Manifest {
	t.Helper()
	m, err := folder.ReadManifest(bundletest.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	m.Sets = slices.DeleteFunc(m.Sets, func(s folder.ManifestSet) bool { return strings.Contains(s.Set, "*") }) // entries for many sets
	return m
}

// TestBundleFilesAreThoseOfTheManifest compares every file with its line of the
// manifest in shape and digest. No file is missing and none is added.
func TestBundleFilesAreThoseOfTheManifest(t *testing.T) {
	m := bundleManifest(t)
	var total, tabular int64
	found := map[string]bool{}
	err := filepath.WalkDir(bundle, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		if name, _ := filepath.Rel(bundle, file); strings.HasSuffix(name, ".npy") {
			name = filepath.ToSlash(name)
			found[name] = true
			if dataset, _, _ := strings.Cut(name, "/"); ofTables(dataset) {
				tabular += info.Size()
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > bundleLimit {
		t.Errorf("%d bytes; at most %d are committed", total, bundleLimit)
	}
	if tabular > tabularLimit {
		t.Errorf("%d bytes of data sets in tables; at most %d are committed", tabular, tabularLimit)
	}
	for name := range found {
		if _, ok := m.Files[name]; !ok {
			t.Errorf("%s is not in the manifest", name)
		}
	}
	for name, want := range m.Files {
		if !found[name] {
			t.Errorf("%s of the manifest is absent", name)
			continue
		}
		b, err := os.ReadFile(filepath.Join(bundle, name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want.SHA256 {
			t.Errorf("%s: sha256 %x; the manifest says %s", name, sum, want.SHA256)
		}
		if a := openBundled(t, name); !slices.Equal(a.Shape(), want.Shape) {
			t.Errorf("%s: shape %v; the manifest says %v", name, a.Shape(), want.Shape)
		}
	}
}

// ofTables reports whether a data set of the bundle is one in a table: it has boosted trees.
func ofTables(dataset string) bool {
	_, err := os.Stat(filepath.Join(bundle, dataset, "lightgbm"))
	return err == nil
}

func openBundled(t *testing.T, name string) *npy.Array {
	t.Helper()
	a, err := data.OpenArray(nil, filepath.Join(bundle, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// bundleRef returns the test set that a name of the manifest denotes.
func bundleRef(t *testing.T, name string) data.Ref {
	t.Helper()
	s := strings.Split(name, "/")
	ref := data.Ref{Split: data.Test}
	switch len(s) {
	case 2:
		ref.Dataset, ref.Backbone = s[0], s[1]
	case 3:
		ref.Dataset, ref.Backbone, ref.Loss = s[0], s[1], s[2]
	case 4:
		severity, err := strconv.Atoi(s[3])
		if err != nil {
			t.Fatal(err)
		}
		ref.Dataset, ref.Backbone, ref.Corruption, ref.Severity = s[0], s[1], s[2], severity
	default:
		t.Fatalf("set %q names no network", name)
	}
	return ref
}

var notedScores = regexp.MustCompile(`seed \d+, \d+ (?:epochs|rounds) of \d+ samples, .*accuracy (0\.\d+), ece (0\.\d+)(?:, miou (0\.\d+))?; .+`)

// TestBundleScoresAreThoseOfManifestAndREADME compares accuracy and ECE of every set with its note and
// with the table of the README.
func TestBundleScoresAreThoseOfManifestAndREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("scores all networks of the bundle")
	}
	folder := openBundle(t)
	table := bundleTable(t)
	for _, s := range bundleManifest(t).Sets {
		ref := bundleRef(t, s.Set)
		if p := folder.Describe(ref); p.Origin != data.Measured || p.Kind.OffsetLost() || p.Note != s.Note {
			t.Errorf("%s is described as %+v", s.Set, p)
		}
		noted := notedScores.FindStringSubmatch(s.Note)
		if noted == nil {
			t.Errorf("%s: the note %q lacks recipe, accuracy, ece or licence", s.Set, s.Note)
			continue
		}
		got := scores(t, folder, ref)
		for i, want := range noted[1:] {
			if want != "" {
				near(t, s.Set, got[i], want)
			}
		}
		if ref.Corruption != "" {
			continue
		}
		row, ok := table[s.Set]
		if !ok {
			t.Errorf("the README's table lacks %s", s.Set)
			continue
		}
		delete(table, s.Set)
		near(t, s.Set+" in the README", got[0], row.accuracy)
		near(t, s.Set+" in the README", got[1], row.ece)
		for i, split := range []data.Split{data.Cal, data.Test} {
			ref.Split = split
			if n := strconv.Itoa(len(load(t, folder, ref, data.Labels).Labels)); n != row.rows[i] {
				t.Errorf("%s: %s rows; the README says %s", ref, n, row.rows[i])
			}
		}
	}
	for name := range table {
		t.Errorf("the README's table has %s, the manifest has not", name)
	}
}

func openBundle(t *testing.T) *folder.Folder {
	t.Helper()
	f, err := folder.Open(bundletest.Folder(t), folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func load(t *testing.T, f *folder.Folder, ref data.Ref, parts data.Parts) *data.Set {
	t.Helper()
	set, err := data.Load(context.Background(), f, ref, parts)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// scores returns accuracy, ECE (15 bins) and mIoU of the uncalibrated network.
func scores(t *testing.T, f *folder.Folder, ref data.Ref) []float64 {
	t.Helper()
	set := load(t, f, ref, data.Logits|data.Labels)
	samples, err := metrics.FromLogits(set)
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	miou, err := metrics.MIoU(samples)
	if err != nil {
		t.Fatalf("%s: mIoU: %v", ref, err)
	}
	return []float64{metrics.Accuracy(samples), metrics.ECE(samples, 15), miou}
}

// near compares a value with one printed to six decimals.
func near(t *testing.T, what string, got float64, printed string) {
	t.Helper()
	if want, err := strconv.ParseFloat(printed, 64); err != nil || !(math.Abs(got-want) <= 0.6e-6) {
		t.Errorf("%s: %.7f, stated as %s", what, got, printed)
	}
}

// tableRow is what the README says of a network.
type tableRow struct {
	accuracy, ece string
	rows          [2]string // of the calibration and of the test set
}

// bundleTable reads the networks of the README, by the names of the manifest: a line of the first table is a
// network, and one of the table of data sets in tables is two models.
func bundleTable(t *testing.T) map[string]tableRow {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(bundle, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]tableRow{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) < 5 {
			continue
		}
		if _, err := strconv.Atoi(cells[4]); err != nil {
			continue // the heading
		}
		switch len(cells) {
		case 14:
			name := cells[1] + "/" + cells[2]
			if cells[3] != "ce" {
				name += "/" + cells[3]
			}
			rows[name] = tableRow{cells[10], cells[11], [2]string{cells[8], cells[9]}}
		case 17:
			counts := [2]string{cells[6], cells[7]}
			rows[cells[1]+"/mlp"] = tableRow{cells[9], cells[11], counts}
			rows[cells[1]+"/lightgbm"] = tableRow{cells[12], cells[14], counts}
		}
	}
	return rows
}

// TestBundleTablesFollowTheirRules: each data set in a table has 2,000 to 20,000 rows, of which a half train, and
// each of its models has at least 100 wrong predictions on the test rows and an accuracy that exceeds the share
// of the largest class by more than 0.05.
func TestBundleTablesFollowTheirRules(t *testing.T) {
	folder := openBundle(t)
	datasets := map[string]int{}
	for _, s := range bundleManifest(t).Sets {
		ref := bundleRef(t, s.Set)
		if !ofTables(ref.Dataset) {
			continue
		}
		datasets[ref.Dataset]++
		set := load(t, folder, ref, data.Logits|data.Labels)
		samples, err := metrics.FromLogits(set)
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		counts := map[int32]int{}
		for _, y := range set.Labels {
			counts[y]++
		}
		n, accuracy := len(set.Labels), metrics.Accuracy(samples)
		largest := float64(slices.Max(slices.Collect(maps.Values(counts)))) / float64(n)
		if wrong := math.Round(float64(n) * (1 - accuracy)); wrong < 100 || !(accuracy > largest+0.05) {
			t.Errorf("%s: %v wrong predictions, accuracy %.4f, largest class %.4f", ref, wrong, accuracy, largest)
		}
		ref.Split = data.Cal
		if all := 2 * (n + len(load(t, folder, ref, data.Labels).Labels)); all < 2_000*8/10 || all > 20_000*12/10 {
			t.Errorf("%s: calibration and test rows are the half of %d", ref, all)
		}
		if s.Classes.Len() != set.Logits.Cols {
			t.Errorf("%s: %d names of %d classes", ref, s.Classes.Len(), set.Logits.Cols)
		}
	}
	if len(datasets) < 20 {
		t.Errorf("%d data sets in tables; at least 20 are wanted", len(datasets))
	}
	for dataset, models := range datasets {
		if models != 2 {
			t.Errorf("%s: %d models", dataset, models)
		}
	}
}

// TestBundleHeadsGiveTheLogits: where a set has features, its logits are those of
// the last layer. Each float16 number has a relative error of at most 2^-11; the
// error of the network's own float32 arithmetic is far smaller.
func TestBundleHeadsGiveTheLogits(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole bundle")
	}
	folder := openBundle(t)
	sets := 0
	for _, s := range bundleManifest(t).Sets {
		for _, split := range []data.Split{data.Cal, data.Test} {
			ref := bundleRef(t, s.Set)
			if ref.Corruption != "" && split == data.Cal {
				continue
			}
			ref.Split = split
			need := data.Logits | data.Features | data.Head
			if has := folder.Has(ref); has&data.Features == 0 {
				continue
			} else if has&need != need {
				t.Errorf("%s has features and no head", ref)
				continue
			}
			checkHead(t, ref.String(), load(t, folder, ref, need))
			sets++
		}
	}
	if sets < 2 {
		t.Errorf("%d sets with features", sets)
	}
}

func checkHead(t *testing.T, name string, set *data.Set) {
	t.Helper()
	for i := range set.Logits.Rows {
		h := set.Features.Row(i)
		for k, z := range set.Logits.Row(i) {
			sum, size := float64(set.Head.B[k]), math.Abs(float64(z))
			for d, w := range set.Head.W.Row(k) {
				term := float64(w) * float64(h[d])
				sum += term
				size += math.Abs(term)
			}
			if bound := 1.1*size/2048 + 1e-4; !(math.Abs(sum-float64(z)) <= bound) {
				t.Errorf("%s: row %d, class %d: logit %v, of the head %v, further than %.2g", name, i, k, z, sum, bound)
				return
			}
		}
	}
}

// TestBundleCalibrationAndTestSamplesAreDisjoint: no calibration sample is a test
// sample, by the digests of the network's inputs. The samples of long-tailed and
// corrupted sets are samples of the clean set, in the row order of the labels.
func TestBundleCalibrationAndTestSamplesAreDisjoint(t *testing.T) {
	folder := openBundle(t)
	networks := map[string][]data.Ref{}
	for _, s := range bundleManifest(t).Sets {
		ref := bundleRef(t, s.Set)
		networks[ref.Dataset] = append(networks[ref.Dataset], ref)
	}
	for _, dataset := range slices.Sorted(maps.Keys(networks)) {
		base, _, _ := strings.Cut(strings.TrimSuffix(dataset, "-c"), "-lt-")
		if base == dataset {
			cal, test := digests(t, dataset, "cal"), digests(t, dataset, "test")
			for sample := range cal {
				if test[sample] {
					t.Errorf("%s: a calibration sample is a test sample", dataset)
				}
			}
		} else {
			within(t, dataset, base, "test")
			if !strings.HasSuffix(dataset, "-c") {
				within(t, dataset, base, "cal")
			}
		}
		// The same rows for every network, in the order of the index list.
		labels := map[int32]int32{}
		clean := networks[base][0]
		if rows := indices(t, base, "test"); len(rows) == len(load(t, folder, clean, data.Labels).Labels) {
			for i, y := range load(t, folder, clean, data.Labels).Labels {
				labels[rows[i]] = y
			}
		}
		for _, ref := range networks[dataset] {
			rows := indices(t, dataset, "test")
			for i, y := range load(t, folder, ref, data.Labels).Labels {
				if len(labels) > 0 && labels[rows[i]] != y {
					t.Fatalf("%s: row %d has label %d, sample %d has %d in %s", ref, i, y, rows[i], labels[rows[i]], clean)
				}
			}
		}
	}
}

// within checks that the samples of a set are samples of another one.
func within(t *testing.T, dataset, base, part string) {
	t.Helper()
	all := indices(t, base, part)
	for _, row := range indices(t, dataset, part) {
		if !slices.Contains(all, row) {
			t.Fatalf("%s: %s sample %d is none of %s", dataset, part, row, base)
		}
	}
}

// TestBundleNamesCommonTestSamples: two data sets name the same samples exactly if
// they have common test images.
func TestBundleNamesCommonTestSamples(t *testing.T) {
	folder := openBundle(t)
	datasets := []string{"cifar10-jpeg", "cifar10-jpeg-c", "cifar10-jpeg-lt-r10", "cifar10-jpeg-lt-r100"}
	samples := func(dataset string) string {
		p := folder.Describe(data.Ref{Dataset: dataset, Backbone: "vit-p4-d96-l4", Split: data.Test})
		return cmp.Or(p.Samples, dataset)
	}
	for i, a := range datasets {
		for _, b := range datasets[:i] {
			common, some := 0, indices(t, b, "test")[:200]
			for _, row := range indices(t, a, "test") {
				if slices.Contains(some, row) {
					common++
				}
			}
			if common == 0 || samples(a) != samples(b) {
				t.Errorf("%s and %s: at least %d common test images, samples %s and %s", a, b, common, samples(a), samples(b))
			}
		}
	}
	if samples("pneumoniamnist-28") == samples("cifar10-jpeg") {
		t.Error("pneumoniamnist-28 has the samples of cifar10-jpeg")
	}
}

// TestBundleRowIDsAreThoseOfTheTestSamples: the digest of the manifest is that of the
// samples' digests. Sets of one test set have one digest.
func TestBundleRowIDsAreThoseOfTheTestSamples(t *testing.T) {
	folder := openBundle(t)
	for _, s := range bundleManifest(t).Sets {
		ref := bundleRef(t, s.Set)
		base, _, _ := strings.Cut(ref.Dataset, "-lt-")
		want := ""
		if base != "camvid-240" && base != "cifar10-jpeg-c" { // drawn pixels, and fewer rows
			want = rowIDs(t, base)
		}
		ref.Split = data.Test
		if got := folder.Describe(ref).RowIDs; got != want {
			t.Errorf("%s: row ids %s, want %s", s.Set, got, want)
		}
	}
}

// rowIDs returns the digest of the ids of the test samples of a data set.
func rowIDs(t *testing.T, dataset string) string {
	a := openBundled(t, path.Join(dataset, "splits", "test_sha256.npy"))
	all := make([]int32, 2*a.Rows())
	if err := a.ReadInt32(all, 0, a.Rows()); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range a.Rows() {
		b := binary.LittleEndian.AppendUint32(nil, uint32(all[2*i]))
		ids = append(ids, hex.EncodeToString(binary.LittleEndian.AppendUint32(b, uint32(all[2*i+1])))+"\n")
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(ids, "")))
	return hex.EncodeToString(sum[:])
}

func indices(t *testing.T, dataset, part string) []int32 {
	t.Helper()
	a := openBundled(t, path.Join(dataset, "splits", part+".npy"))
	rows := make([]int32, a.Rows())
	if err := a.ReadInt32(rows, 0, a.Rows()); err != nil {
		t.Fatal(err)
	}
	return rows
}

func digests(t *testing.T, dataset, part string) map[[2]int32]bool {
	t.Helper()
	a := openBundled(t, path.Join(dataset, "splits", part+"_sha256.npy"))
	all := make([]int32, 2*a.Rows())
	if err := a.ReadInt32(all, 0, a.Rows()); err != nil {
		t.Fatal(err)
	}
	set := map[[2]int32]bool{}
	for i := range a.Rows() {
		set[[2]int32{all[2*i], all[2*i+1]}] = true
	}
	least := 0.9 // of all samples are different
	if ofTables(dataset) {
		least = 0.1 // a table of a few columns repeats its rows, and all that are equal are in one part
	}
	if len(indices(t, dataset, part)) != a.Rows() || float64(len(set)) < least*float64(a.Rows()) {
		t.Errorf("%s: %d samples, %d of them different, %d indices", dataset, a.Rows(), len(set), len(indices(t, dataset, part)))
	}
	return set
}
