package calib

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// realRoot returns the folder of predictions of real networks, and skips the
// test where there is none.
func realRoot(t testing.TB) string {
	root := os.Getenv("QATS_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	root = filepath.Join(root, "real")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no predictions of real networks here")
	}
	return root
}

// realNetworks returns dataset/network of all sets to calibrate on, sorted.
func realNetworks(t testing.TB) []string {
	root := realRoot(t)
	paths, err := filepath.Glob(filepath.Join(root, "*", "*", "cal", "logits.npy"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range paths {
		name, _ := filepath.Rel(root, filepath.Dir(filepath.Dir(p)))
		names = append(names, filepath.ToSlash(name))
	}
	slices.Sort(names)
	return names
}

// realSet reads logits and labels of one split of a network.
func realSet(t testing.TB, name, split string) *data.Set {
	dir := filepath.Join(realRoot(t), name, split)
	logits, shape := readNPY(t, filepath.Join(dir, "logits.npy"))
	labels, _ := readNPY(t, filepath.Join(dir, "labels.npy"))
	set := &data.Set{Logits: data.Matrix{Rows: shape[0], Cols: shape[1], Data: logits}}
	for _, y := range labels {
		set.Labels = append(set.Labels, int32(y))
	}
	return set
}

var npyHeader = regexp.MustCompile(`'descr': '([^']+)', 'fortran_order': False, 'shape': \((\d+), ?(\d*)\)`)

// readNPY reads the few forms that the real predictions have; the guarded
// door is in package data.
func readNPY(t testing.TB, path string) (values []float32, shape [2]int) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := 10 + int(binary.LittleEndian.Uint16(raw[8:]))
	h := npyHeader.FindSubmatch(raw[:end])
	if h == nil {
		t.Fatalf("%s: header %q", path, raw[:end])
	}
	for i, dim := range h[2:] {
		for _, c := range dim {
			shape[i] = 10*shape[i] + int(c-'0')
		}
	}
	body := raw[end:]
	switch descr := string(h[1]); {
	case strings.HasSuffix(descr, "f4"):
		for ; len(body) >= 4; body = body[4:] {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(body)))
		}
	case strings.HasSuffix(descr, "f2"):
		for ; len(body) >= 2; body = body[2:] {
			values = append(values, half(binary.LittleEndian.Uint16(body)))
		}
	case strings.HasSuffix(descr, "i4"):
		for ; len(body) >= 4; body = body[4:] {
			values = append(values, float32(int32(binary.LittleEndian.Uint32(body))))
		}
	default:
		t.Fatalf("%s: dtype %s", path, descr)
	}
	return values, shape
}

// half returns the value of a finite float16.
func half(b uint16) float32 {
	exp, frac := int(b>>10&31), float64(b&1023)
	v := math.Ldexp(frac, -24)
	if exp > 0 {
		v = math.Ldexp(1024+frac, exp-25)
	}
	if b>>15 == 1 {
		v = -v
	}
	return float32(v)
}
