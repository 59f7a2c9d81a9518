// Package spec reads the YAML files of experiments into types.
//
// A Spec is one experiment: settings (test sets of networks), methods with their
// options, metrics, and the tables and figures drawn from the results. The reader
// decides everything that the file alone can decide: it expands grids into
// settings, fills in defaults, builds the methods, and turns tables and figures
// into the declarations of results/crosstab and results/figure, which packages results/table/pivot and plots render.
//
// The package does not open arrays, and it cannot know which rows a run will write. So a
// view of rows that do not exist is an error of the rendering, not of the spec.
//
// A key is declared once: a field of a struct (document, methodItem, grid, tableItem,
// figureItem) whose tags state its name, rules, default, meaning and example. Package
// data/keyed decodes into these structs, and what one key cannot tell is checked here in plain
// functions. The reference (qats doc spec) and the JSON Schema are made from the same tags.
//
// Every mistake in a file is reported as file:line:column, up to ten at a time.
//
// Specs are data: lists and grids, without includes, templates or expressions.
// Since a spec may come from somebody else, it can name only folders below the
// project.
//
// The declaration of the virtual networks, which the source "simulate" draws
// from, is read here in the same way.
package spec
