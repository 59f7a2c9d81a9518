package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/metrics"
)

// TestListsFitTheLine: no list is wider than lineWidth.
func TestListsFitTheLine(t *testing.T) {
	commands := [][]string{{"doc"}, {"doc", "methods"}, {"doc", "metrics"}, {"doc", "figures"}, {"doc", "groups"}, {"--version"}}
	for _, e := range all.Registry() {
		commands = append(commands, []string{"doc", e.Name})
	}
	for _, e := range metrics.Registry() {
		commands = append(commands, []string{"doc", e.Name})
	}
	for _, n := range look.Networks() {
		commands = append(commands, []string{"try", n})
	}
	for _, args := range commands {
		var out, err bytes.Buffer
		if status := run(context.Background(), args, &out, &err); status != 0 {
			t.Fatalf("%v: status %d, %s", args, status, &err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > lineWidth || strings.HasSuffix(line, " ") {
				t.Errorf("%v: %d characters: %q", args, n, line)
			}
		}
	}
}

// TestOutputHasNoEscapeSequences: the program prints no colour, so NO_COLOR holds.
func TestOutputHasNoEscapeSequences(t *testing.T) {
	for _, args := range [][]string{{"try", "@demo"}, {"doc", "methods"}, {"doc", "ece"}, {"--help"}, {"doc", "none-such"}} {
		var out, err bytes.Buffer
		run(context.Background(), args, &out, &err)
		if strings.ContainsRune(out.String()+err.String(), '\x1b') {
			t.Errorf("%v prints an escape sequence", args)
		}
	}
}

// TestANameOfDocIsOneThing: a topic, a method, a metric and a kind of figure have different
// names, so that qats doc NAME has one answer. Groups may share a name.
func TestANameOfDocIsOneThing(t *testing.T) {
	of := map[string]string{}
	add := func(list, name string) {
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
		if other := of[name]; other != "" && !strings.HasPrefix(name, "@") {
			t.Errorf("%s is a name of %s and of %s", name, other, list)
		}
		of[name] = list
	}
	for _, topic := range topics() {
		name, _ := topic.title()
		add("topics", name)
	}
	for _, c := range catalogues() {
		list, _ := c.title()
		names, _ := c.known()
		for _, name := range names {
			add(list, name)
		}
	}
}
