package experiments

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// The texts below name everything that a result depends on, and nothing else:
// no date, no binary, no file name. Their digests are the keys of the store. The
// store keeps the texts beside the objects, so that a reader can see why a key
// changed. A version is raised when the numbers that this package computes
// change; package metrics has its own versions.
const (
	fitVersion     = 2 // 2: float64 logits of a large offset are read centred
	samplesVersion = 2
	scoresVersion  = 4 // 4: notes are JSON
)

// tableVersion is the line on the probabilities of external methods in the text of the rows
// of a test set. 2: an exact 0 counts as 2^-126.
const tableVersion = "table of probabilities, version 2\n"

// fitText is the text of a fit: the method, the row kernel and the content of the
// arrays that the method reads. cal and target are digests; they are empty if the
// contract names no such array.
func fitText(m *spec.Method, cal, target string) string {
	return fmt.Sprintf("fit %d\nkernel %d\nmethod %s %d\n", fitVersion, softmax.Version, m.Entry.Name, m.Entry.Version) + fitSections(m, cal, target)
}

// fitSections returns the parts of a fit's text that are not versions.
func fitSections(m *spec.Method, cal, target string) string {
	return section("options", m.Options) + section("cal", cal) + section("target", target)
}

// fitSeed is the seed of a fit. It does not depend on a version, so that a method
// whose numbers change in their last digits keeps its draws.
func fitSeed(m *spec.Method, cal, target string) uint64 {
	return seed("method " + m.Entry.Name + "\n" + fitSections(m, cal, target))
}

// samplesText is the text of the sample scores of an applied fit, with class bins or
// without, and with numbers of whole vectors or without.
func samplesText(fit, test string, classes, vectors bool) string {
	text := fmt.Sprintf("samples %d %d\n", samplesVersion, scoring.Version)
	if classes {
		text += fmt.Sprintf("class bins %d\n", scoring.ClassBinsVersion)
	}
	if vectors {
		text += fmt.Sprintf("vectors %d\n", scoring.VectorVersion)
	}
	return text + section("test", test) + fit
}

// scoresText is the text of the values of all metrics of a cell. uncal is the text of
// the sample scores of the uncalibrated network, which some metrics compare with. perClass
// says that scores of each class are among them, and firstPositive that of two classes the first is the positive one.
func scoresText(samples, uncal string, entries []metrics.Entry, perClass, firstPositive bool) string {
	text := fmt.Sprintf("scores %d\nbins %d\n", scoresVersion, metrics.BinsVersion)
	if perClass {
		text += fmt.Sprintf("per class %d\n", metrics.PerClassVersion)
	}
	return text + metricsText(entries) + positiveText(entries, firstPositive) + compared(samples, uncal, entries)
}

// metricsText names metrics with their versions.
func metricsText(entries []metrics.Entry) string {
	text := ""
	for _, e := range entries {
		text += fmt.Sprintf("metric %s %d\n", e.Name, e.Version)
	}
	return text
}

// positiveText names the positive class, if it is not metrics.Positive and one of the metrics reads it.
func positiveText(entries []metrics.Entry, first bool) string {
	if first && slices.ContainsFunc(entries, func(e metrics.Entry) bool { return e.Positive }) {
		return "positive 0\n"
	}
	return ""
}

// compared returns the text of the samples that metrics read: the samples of the cell,
// and before them the samples of the uncalibrated network if one of the metrics compares.
func compared(samples, uncal string, entries []metrics.Entry) string {
	if engine.ReadsOf(entries).Uncal {
		return section("uncalibrated", uncal) + samples
	}
	return samples
}

// pairText is the text of the comparison of two cells of one setting, in the metrics of
// metrics.Paired and the other metrics of entries.
func pairText(samples, baseline, uncal string, interval metrics.Interval, entries []metrics.Entry, firstPositive bool) string {
	kind := ""
	if interval != "" && interval != metrics.Percentile {
		kind = fmt.Sprintf("interval %s\n", interval)
	}
	kind += metricsText(entries) + positiveText(entries, firstPositive) + compared("", uncal, entries)
	return fmt.Sprintf("pair %d\n%s%sagainst\n%s", metrics.PairsVersion, kind, samples, baseline)
}

// inputsVersion is raised when the notes on the same arrays change.
const inputsVersion = 4 // 4: rows and classes, masked classes

// inputsText is the text of the notes on the arrays of two sets. Rows that are left out without
// being stated are a warning, and stated ones are not.
func inputsText(cal, test string, stated data.Ignore) string {
	text := fmt.Sprintf("inputs %d\ncal\n%s\ntest\n%s", inputsVersion, cal, test)
	if len(stated) > 0 {
		text += "\nignore " + stated.String()
	}
	return text
}

// section returns the lines of text indented under a heading.
func section(heading, text string) string {
	if text == "" || text == "{}\n" {
		return ""
	}
	return heading + "\n  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// seed returns the seed of a random computation from its identity. It is the same
// for every order of the run and every number of workers.
func seed(identity string) uint64 {
	sum := sha256.Sum256([]byte(identity))
	return binary.LittleEndian.Uint64(sum[:])
}
