package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
)

// mostTest is the largest number of test rows of a draw.
const mostTest = 5000

// pool is the rows of one model, of which draws are taken.
type pool struct {
	Data   string // set of data that the model is of
	Model  string
	Family string // of models
	cal    data.Files
	test   data.Files
	two    bool // of two classes
}

// readPools returns the networks below bundle, in the order of their names, those below more and the models below made.
func readPools(bundle, more, made string) ([]pool, error) {
	pools, err := findPools(bundle, more, made)
	if err != nil {
		return nil, err
	}
	had := map[[2]string]bool{}
	for i := range pools {
		name := [2]string{pools[i].Data, pools[i].Model}
		if had[name] {
			return nil, fmt.Errorf("two models are named %s/%s: draws are by name", name[0], name[1])
		}
		had[name] = true
		r, err := pools[i].cal.Open()
		if err != nil {
			return nil, err
		}
		pools[i].two = r.Classes() == 2
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	return pools, nil
}

// findPools returns the pools by their files.
func findPools(bundle, more, made string) ([]pool, error) {
	var pools []pool
	var err error
	if bundle != "" {
		pools, err = readNetworks(bundle)
	}
	if err == nil && more != "" {
		var others []pool
		others, err = readNetworks(more)
		for i := range others {
			others[i].Data, others[i].Model = filepath.Base(more), path.Join(others[i].Data, others[i].Model)
			pools = append(pools, others[i])
		}
	}
	if err != nil || made == "" {
		return pools, err
	}
	kinds, err := filepath.Glob(filepath.Join(made, "*", "*", "kind.txt"))
	if err != nil {
		return nil, err
	}
	for _, name := range kinds {
		kind, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		dir := filepath.Dir(name)
		files := func(split string) data.Files {
			return data.Files{Logits: filepath.Join(dir, split+".npy"), Labels: filepath.Join(dir, split+"_labels.npy"), Kind: data.Kind(strings.TrimSpace(string(kind)))}
		}
		model := filepath.Base(dir)
		family, _, _ := strings.Cut(model, "-")
		pools = append(pools, pool{Data: filepath.Base(filepath.Dir(dir)), Model: model, Family: family, cal: files("cal"), test: files("test")})
	}
	return pools, nil
}

// readNetworks returns the networks below a folder.
func readNetworks(bundle string) ([]pool, error) {
	var pools []pool
	err := filepath.WalkDir(bundle, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		at := func(split, array string) string { return filepath.Join(dir, split, array+".npy") }
		for _, split := range []string{"cal", "test"} {
			if _, err := os.Stat(at(split, "logits")); err != nil {
				return nil
			}
		}
		rel, _ := filepath.Rel(bundle, dir)
		of, model, _ := strings.Cut(filepath.ToSlash(rel), "/")
		p := pool{Data: of, Model: model, Family: "network", cal: data.Files{Logits: at("cal", "logits"), Labels: at("cal", "labels")}, test: data.Files{Logits: at("test", "logits"), Labels: at("test", "labels")}}
		if model == "lightgbm" {
			p.Family = "lightgbm"
		}
		pools = append(pools, p)
		return nil
	})
	return pools, err
}

// read reads a set of the pool.
func read(f data.Files) (*data.Set, data.Form, error) {
	r, err := f.Open()
	if err != nil {
		return nil, data.Form{}, err
	}
	defer r.Close()
	form, err := r.Form()
	if err != nil {
		return nil, form, err
	}
	set, err := data.Read(context.Background(), r, 0, r.Rows())
	return set, form, err
}

// take draws n calibration rows, and up to mostTest test rows: from the set of each, or where the
// calibration set has fewer than 2n rows, from the union of both. It returns no sets where there
// are not enough rows.
func take(rng *rand.Rand, cal, test *data.Set, n int) (a, b *data.Set) {
	rows, others := len(cal.Labels), len(test.Labels)
	if rows >= 2*n {
		return data.Gather(rng.Perm(rows)[:n], cal), data.Gather(rng.Perm(others)[:min(others, mostTest)], test)
	}
	if rows+others < n+500 {
		return nil, nil
	}
	order := rng.Perm(rows + others)
	return data.Gather(order[:n], cal, test), data.Gather(order[n:min(len(order), n+mostTest)], cal, test)
}

// sizes are the numbers of calibration rows.
var sizes = []int{50, 100, 200, 500, 1000, 2000, 5000}

// job is one draw.
type job struct {
	*pool
	n, draw int
}

// jobs returns all draws in an order in which each beginning is like the whole: in tiers, shuffled in
// each. A tier has fewer draws of large sizes, which take longest; the last one has the rest.
func jobs(pools []pool, sizes []int, draws int) []job {
	var all []job
	rng := rand.New(rand.NewPCG(1, 2))
	done := map[string]int{}
	const tiers = 6
	for tier := range tiers + 1 {
		from := len(all)
		for i := range pools {
			for _, n := range sizes {
				key := fmt.Sprint(i, "/", n)
				more := draws / tiers
				if pools[i].test.Kind == "" { // a network
					more += more / 2
				}
				switch {
				case tier == tiers:
					more = draws
				case n == 5000:
					more = (tier + 1) % 2
				case n == 2000:
					more = 1
				}
				for range more {
					if d := done[key]; d < draws {
						all = append(all, job{&pools[i], n, d})
						done[key]++
					}
				}
			}
		}
		part := all[from:]
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	return slices.Clip(all)
}

// random returns the random numbers of a draw, by its identity.
func (j job) random() *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, j.id())
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}
