package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
)

// TestSamplesOfARecord: the note names them, or else the name of the data set does, by
// the table of families or by the endings of derived sets.
func TestSamplesOfARecord(t *testing.T) {
	for _, c := range []struct {
		dataset, note, want string
		by                  Basis
	}{
		{"cifar100", "", "cifar100", ByName},
		{"cifar100-c", "", "cifar100", ByName},
		{"cifar100-lt-r100-balanced", "", "cifar100", ByName},
		{"CIFAR-10", "", "cifar10", ByName},
		{"cifar10-jpeg-c", "", "cifar10", ByName},
		{"cifar10_28", "", "cifar10", ByName},
		{"cifar10.1", "", "cifar10.1", ByName},
		{"cifar101", "", "cifar101", ByName},
		{"cifar10c", "", "cifar10", ByName},
		{"CIFAR-100C", "", "cifar100", ByName},
		{"cifar-100c-fog", "", "cifar100", ByName},
		{"imagenetc", "", "imagenet", ByName},
		{"imagenet_p", "", "imagenet", ByName},
		{"ImageNetLT", "", "imagenet", ByName},
		{"imagenetv2c", "", "imagenet-v2", ByName}, // the longest known name
		{"cifar100lt", "", "cifar100", ByName},
		{"cifar100lt-r10", "", "cifar100", ByName},
		{"bloodmnist224", "", "bloodmnist", ByName},
		{"organmnist3d64", "", "lits", ByName},
		{"cifar10x", "", "cifar10x", ByName},
		{"cifar102", "", "cifar102", ByName},
		{"bloodmnist225", "", "bloodmnist225", ByName},
		{"bloodmnistc2", "", "bloodmnistc2", ByName},
		{"imagenet-lt", "", "imagenet", ByName},
		{"imagenet-r", "", "imagenet-r", ByName},
		{"imagenet-real", "", "imagenet", ByName}, // ReaL labels: longer than -r, and no form of it
		{"ImageNet-A-c", "", "imagenet-a", ByName},
		{"dermamnist-28", "", "ham10000", ByName},
		{"chestxray14-cardiomegaly", "", "chestmnist", ByName},
		{"marketing-campaign", "", "marketing-campaign", ByName},
		{"ova-colon", "", "ova", ByName},
		{"hellaswag-10k-6", "", "hellaswag", ByName},
		{"organmnist3d", "", "lits", ByName},
		{"20newsgroups-body", "", "20newsgroups", ByName},
		{"mine-c", "", "mine", ByName},
		{"mine-lt-r10-balanced", "", "mine", ByName},
		{"mine-lt", "", "mine", ByName},
		{"salt-lts", "", "salt-lts", ByName},
		{"-lt-5", "", "-lt-5", ByName},
		{"mine-28", "", "mine-28", ByName},
		{"mine", `[{"kind":"from","text":"a"},{"kind":"samples","text":"cifar10-jpeg"},{"kind":"arrays","text":"more"}]`, "cifar10", ByStatement},
		{"cifar10-c", `[{"kind":"samples","text":"photos-c"}]`, "photos", ByStatement},
		{"20newsgroups", `[{"kind":"arrays","text":"no samples text=x"}]`, "20newsgroups", ByName},
	} {
		r := Record{Setting: Setting{Dataset: c.dataset}, Note: noted(c.note)}
		if got, by := r.Samples(); got != c.want || by != c.by {
			t.Errorf("%s with note %q: %q by %s, want %q by %s", c.dataset, c.note, got, by, c.want, c.by)
		}
	}
}

// TestFamiliesAreOneTable: each data set is in one family, under a name as familyOf looks
// it up, a family contains its own name, and every family has a source.
func TestFamiliesAreOneTable(t *testing.T) {
	seen := map[string]string{}
	for _, f := range Families() {
		if f.Shares == "" || f.Sources == "" {
			t.Errorf("%s: %+v", f.Name, f)
		}
		if !slices.Contains(f.Datasets, f.Name) {
			t.Errorf("%s is not among %v", f.Name, f.Datasets)
		}
		for _, d := range f.Datasets {
			if other, twice := seen[d]; twice {
				t.Errorf("%s is in %s and in %s", d, other, f.Name)
			}
			seen[d] = f.Name
			if got, ok := familyOf(strings.ToUpper(strings.ReplaceAll(d, "-", "_"))); !ok || got.Name != f.Name {
				t.Errorf("%s: %s, want %s", d, got.Name, f.Name)
			}
		}
	}
}

// TestDataSetsOfOneCollectionAreABlock: pairs that share rows under names that do not say so.
func TestDataSetsOfOneCollectionAreABlock(t *testing.T) {
	for _, pair := range [][2]string{{"sst2", "rotten_tomatoes"}, {"cub200", "waterbirds"}, {"chestmnist", "rsna-pneumonia"}, {"mnist", "emnist-digits"},
		{"mnist-c", "coloured-mnist"}, {"trec6", "trec50"}, {"mmlu", "mmlu-redux"}, {"truthfulqa-mc1", "truthfulqa-mc2"}, {"yelp-polarity", "yelp5"},
		{"amazon-polarity", "amazon-full"}, {"voc2012", "sbd"}, {"imagenette", "imagewoof"}, {"imagenet", "imagenet100"},
		{"eurosat-rgb", "eurosat_ms"}, {"code15-chagas", "code15"}} {
		a, _ := familyOf(pair[0])
		if b, ok := familyOf(pair[1]); !ok || a.Name != b.Name {
			t.Errorf("%v: %q and %q", pair, a.Name, b.Name)
		}
	}
	for _, id := range []string{"fashion-mnist", "kmnist", "amazon-office31", "yelpnyc", "treccar"} {
		if f, ok := familyOf(id); ok {
			t.Errorf("%s is in %s", id, f.Name)
		}
	}
}

// TestMedMNISTSubsetsOfOneSource: only those of LiTS have one source.
func TestMedMNISTSubsetsOfOneSource(t *testing.T) {
	families := map[string]int{}
	for _, name := range strings.Fields(`pathmnist chestmnist dermamnist octmnist pneumoniamnist retinamnist breastmnist bloodmnist tissuemnist
		organamnist organcmnist organsmnist organmnist3d nodulemnist3d adrenalmnist3d fracturemnist3d vesselmnist3d synapsemnist3d`) {
		f, ok := familyOf(name)
		if !ok {
			t.Errorf("%s is in no family", name)
		}
		families[f.Name]++
	}
	if len(families) != 15 || families["lits"] != 4 {
		t.Errorf("%v", families)
	}
}

// blocksOf returns the blocks of rows by their data set and backbone, as
// "block by basis". A row is a data set, a backbone and a note.
func blocksOf(rows ...[3]string) map[string]string {
	var records []Record
	for i, r := range rows {
		records = append(records, Record{Setting: Setting{Experiment: fmt.Sprint("e", i), Dataset: r[0], Backbone: r[1], Loss: "ce"}, Status: OK, Note: noted(r[2])})
	}
	got := map[string]string{}
	for s, of := range TestSamplesOf(records) {
		got[s.Dataset+"/"+s.Backbone] = of.Block + " by " + strings.Join(lists.Values(of.By, func(by Basis) string { return string(by) }), ", ")
	}
	return got
}

// TestBlocksOfTestSamples: names, statements and digests of row ids join, and equal
// digests join whatever the names are. Different ones separate nothing.
func TestBlocksOfTestSamples(t *testing.T) {
	const one, two = `[{"kind":"row-ids","text":"11"}]`, `[{"kind":"row-ids","text":"22"}]`
	of := func(name string) string { return `[{"kind":"samples","text":"` + name + `"}]` }
	for name, c := range map[string]struct {
		rows [][3]string
		want map[string]string
	}{
		"digests": {
			[][3]string{{"a", "x", one}, {"b", "x", `[{"kind":"arrays","text":"more"},` + one[1:]}, {"c", "x", two}, {"d", "x", ""}},
			map[string]string{"a/x": "a by row_ids", "b/x": "a by row_ids", "c/x": "c by names", "d/x": "d by names"},
		},
		"different digests of one family": {
			[][3]string{{"cifar10", "x", one}, {"cifar10-c", "x", two}},
			map[string]string{"cifar10/x": "cifar10 by names", "cifar10-c/x": "cifar10 by names"},
		},
		"equal digests of one data set": {
			[][3]string{{"a", "x", one}, {"a", "y", one}},
			map[string]string{"a/x": "a by names", "a/y": "a by names"},
		},
		"a chain, whose first name is kept": {
			[][3]string{{"a", "x", ""}, {"b", "x", one}, {"c", "x", one}, {"c", "y", of("a")}},
			map[string]string{"a/x": "a by names", "b/x": "a by row_ids", "c/x": "a by row_ids", "c/y": "a by manifest_or_spec"},
		},
		"a digest besides a statement": {
			[][3]string{{"a", "x", of("c")[:len(of("c"))-1] + "," + one[1:]}, {"b", "x", one}},
			map[string]string{"a/x": "c by manifest_or_spec, row_ids", "b/x": "c by row_ids"},
		},
		"a skip names no samples": {
			[][3]string{{"a", "x", `[{"arrays":"features","kind":"missing"}]`}, {"a", "x", of("b")}, {"b", "x", ""}},
			map[string]string{"a/x": "b by manifest_or_spec", "b/x": "b by names"},
		},
		"networks of one data set": {
			[][3]string{{"a", "x", of("b")}, {"a", "y", ""}, {"b", "x", ""}},
			map[string]string{"a/x": "b by manifest_or_spec", "a/y": "b by names", "b/x": "b by names"},
		},
	} {
		if got := blocksOf(c.rows...); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestEqualLabelsJoinNothing: two data sets of equal size and labels, of which nothing
// says that they have common samples, are two blocks.
func TestEqualLabelsJoinNothing(t *testing.T) {
	a := Record{Setting: Setting{Dataset: "a", Backbone: "x", Loss: "ce"}, N: 100, Status: OK, Key: "1"}
	b := a
	b.Dataset = "b"
	of := TestSamplesOf([]Record{a, b})
	if of[a.Setting].Block == of[b.Setting].Block {
		t.Errorf("%v", of)
	}
}
