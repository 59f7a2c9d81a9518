package experiments

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/scoring"
	"github.com/qats-bench/qats/metrics"
)

// The texts below name everything that a result depends on, and nothing else:
// no date, no binary, no file name. Their digests are the keys of the store. The
// store keeps the texts beside the objects, so that a reader can see why a key
// changed. A version is raised when the numbers that this package computes
// change; package metrics has its own versions.
const (
	fitVersion     = 2 // 2: float64 logits of a large offset are read centred
	samplesVersion = 2
	scoresVersion  = 2
)

// fitText is the text of a fit: the method, the row kernel and the content of the
// arrays that the method reads. cal and target are digests; they are empty if the
// contract names no such array.
func fitText(m *spec.Method, cal, target string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "fit %d\nkernel %d\nmethod %s %d\n", fitVersion, softmax.Version, m.Entry.Name, m.Entry.Version)
	b.WriteString(fitSections(m, cal, target))
	return b.String()
}

// fitSections returns the parts of a fit's text that are not versions.
func fitSections(m *spec.Method, cal, target string) string {
	var b strings.Builder
	section(&b, "options", m.Options)
	section(&b, "cal", cal)
	section(&b, "target", target)
	return b.String()
}

// fitSeed is the seed of a fit. It does not depend on a version, so that a method
// whose numbers change in their last digits keeps its draws.
func fitSeed(m *spec.Method, cal, target string) uint64 {
	return seed("method " + m.Entry.Name + "\n" + fitSections(m, cal, target))
}

// samplesText is the text of the sample scores of an applied fit, with class bins or
// without, and with numbers of whole vectors or without.
func samplesText(fit, test string, classes, vectors bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "facts %d %d\n", samplesVersion, scoring.Version)
	if classes {
		fmt.Fprintf(&b, "class bins %d\n", scoring.ClassBinsVersion)
	}
	if vectors {
		fmt.Fprintf(&b, "vectors %d\n", scoring.VectorVersion)
	}
	section(&b, "test", test)
	b.WriteString(fit)
	return b.String()
}

// scoresText is the text of the values of all metrics of a cell. uncal is the text of
// the sample scores of the uncalibrated network, which some metrics compare with.
func scoresText(samples, uncal string, entries []metrics.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "scores %d\nbins %d\n", scoresVersion, metrics.BinsVersion)
	for _, e := range entries {
		fmt.Fprintf(&b, "metric %s %d\n", e.Name, e.Version)
	}
	b.WriteString(compared(samples, uncal, entries))
	return b.String()
}

// recordText is the text of one number of results.csv.
func recordText(samples, uncal string, e metrics.Entry) string {
	return fmt.Sprintf("metric %s %d\n%s", e.Name, e.Version, compared(samples, uncal, []metrics.Entry{e}))
}

// compared returns the text of the samples that metrics read: those of the cell,
// and before them those of the uncalibrated network if one of the metrics compares.
func compared(samples, uncal string, entries []metrics.Entry) string {
	var b strings.Builder
	if comparesUncal(entries) {
		section(&b, "uncalibrated", uncal)
	}
	b.WriteString(samples)
	return b.String()
}

// comparesUncal reports whether a metric compares with the uncalibrated network.
func comparesUncal(entries []metrics.Entry) bool {
	return slices.ContainsFunc(entries, func(e metrics.Entry) bool { return e.Uncal })
}

// pairText is the text of the paired bootstrap of two cells of one setting, in ECE,
// AECE and the other metrics of entries.
func pairText(samples, baseline, uncal string, interval metrics.Interval, entries []metrics.Entry) string {
	kind := ""
	if interval != "" && interval != metrics.BC {
		kind = fmt.Sprintf("interval %s\n", interval)
	}
	for _, e := range entries {
		kind += fmt.Sprintf("metric %s %d\n", e.Name, e.Version)
	}
	if comparesUncal(entries) {
		kind += compared("", uncal, entries)
	}
	return fmt.Sprintf("pair %d\n%s%sagainst\n%s", metrics.PairsVersion, kind, samples, baseline)
}

// section writes the lines of text indented under a heading.
func section(b *strings.Builder, heading, text string) {
	if text == "" || text == "{}\n" {
		return
	}
	fmt.Fprintln(b, heading)
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// seed returns the seed of a random computation from its identity. It is the same
// for every order of the run and every number of workers.
func seed(identity string) uint64 {
	sum := sha256.Sum256([]byte(identity))
	return binary.LittleEndian.Uint64(sum[:])
}
