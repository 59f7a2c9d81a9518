package results

import (
	"slices"
	"strings"
)

// Basis is how the test samples of a setting are known.
type Basis string

// The bases, the weakest first.
const (
	ByName      Basis = "names"            // the data set's name, alone or in the table of Families
	ByStatement Basis = "manifest_or_spec" // a note of kind Samples
	ByRowIDs    Basis = "row_ids"          // a note of kind RowIDs, which another data set has too
)

// Bases returns all bases, the weakest first.
func Bases() []Basis { return []Basis{ByName, ByStatement, ByRowIDs} }

// Samples returns the data set, or the family of data sets, that the test samples are of, and
// what says so: the note, or else the dataset's name. A name of the table of [Families] stands
// for the family. Another name loses the usual endings of derived sets, -c for corrupted and
// -lt for long-tailed ones: mine-c, mine-lt-r10 and mine-lt-r10-balanced have the samples of
// mine.
func (r Record) Samples() (name string, by Basis) {
	if stated := r.Note.Text(Samples); stated != "" {
		return sampled(stated), ByStatement
	}
	return sampled(r.Dataset), ByName
}

// sampled returns the family of a data set or, if it is in none, its name without the
// endings of derived sets.
func sampled(dataset string) string {
	if f, ok := familyOf(dataset); ok {
		return f.Name
	}
	name := strings.TrimSuffix(dataset, "-c")
	if i := strings.Index(name+"-", "-lt-"); i > 0 {
		name = name[:i]
	}
	return name
}

// RowIDs returns the digest of the ids of the test rows, or nothing where the manifest of
// the arrays has none. Two sets with equal digests have the same test samples. Sets with
// different digests may have some in common.
func (r Record) RowIDs() string { return r.Note.Text(RowIDs) }

// TestSamples says which test samples a setting has.
type TestSamples struct {
	Block string  // settings of different blocks have no test samples in common, as far as By can tell
	By    []Basis // what tells the block, the weakest first
}

// TestSamplesOf returns the test samples of each setting of the records, by the setting
// without its experiment. Settings of equal Samples are in one block, and so are those of
// one data set and those of equal RowIDs. A block has the name of the first Samples in it.
// If the rows of a setting differ (that of a skip may), the first one that states samples
// decides.
func TestSamplesOf(records []Record) map[Setting]TestSamples {
	of := map[Setting]TestSamples{}
	ids := map[Setting]string{}
	var settings []Setting // in the order of their first rows
	for i, r := range records {
		if i > 0 && r.Setting == records[i-1].Setting && r.Note.Equal(records[i-1].Note) {
			continue // as most rows: there are many of a setting
		}
		at := r.Setting
		at.Experiment = ""
		known, seen := of[at]
		if !seen {
			settings = append(settings, at)
		}
		if !seen || known.By[0] == ByName && r.Note.Has(Samples) {
			name, by := r.Samples()
			of[at] = TestSamples{name, []Basis{by}}
		}
		if ids[at] == "" && r.Note.Has(RowIDs) {
			ids[at] = r.RowIDs()
		}
	}
	var blocks blockNames
	datasets, digests := map[string]Setting{}, map[string]Setting{} // the first setting of each
	several := map[string]bool{}                                    // digests of two data sets or more
	for _, s := range settings {
		blocks.add(of[s].Block)
		if first, seen := datasets[s.Dataset]; seen {
			blocks.join(of[first].Block, of[s].Block)
		} else {
			datasets[s.Dataset] = s
		}
		switch first, seen := digests[ids[s]]; {
		case ids[s] == "":
		case seen:
			blocks.join(of[first].Block, of[s].Block)
			several[ids[s]] = several[ids[s]] || first.Dataset != s.Dataset
		default:
			digests[ids[s]] = s
		}
	}
	for _, s := range settings {
		t := TestSamples{blocks.firstOf(of[s].Block), of[s].By}
		if several[ids[s]] {
			// Statements still count: they may join other blocks.
			t.By = append(slices.DeleteFunc(t.By, func(by Basis) bool { return by == ByName }), ByRowIDs)
		}
		of[s] = t
	}
	return of
}

// blockNames joins names of samples to blocks.
type blockNames struct {
	place map[string]int // of each name, in their order
	first []string       // by place: an earlier name of the same block, or the name itself
}

// add adds a name, if it is new, as a block of its own.
func (b *blockNames) add(name string) {
	if b.place == nil {
		b.place = map[string]int{}
	}
	if _, has := b.place[name]; !has {
		b.place[name] = len(b.first)
		b.first = append(b.first, name)
	}
}

// firstOf returns the first name of the block of a name that was added.
func (b *blockNames) firstOf(name string) string {
	for b.first[b.place[name]] != name {
		name = b.first[b.place[name]]
	}
	return name
}

// join makes one block of those of two names that were added.
func (b *blockNames) join(x, y string) {
	x, y = b.firstOf(x), b.firstOf(y)
	if b.place[x] > b.place[y] {
		x, y = y, x
	}
	b.first[b.place[y]] = x
}
