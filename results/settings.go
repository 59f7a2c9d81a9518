package results

import (
	"cmp"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// SettingInfo is one row of settings.csv: what is known of a setting before any method is run.
// Its notes hold for every number of the setting. They stand here once, and not in the notes of
// results.csv.
type SettingInfo struct {
	Setting

	// DatasetLabel and BackboneLabel are the names in print of the data set and of the network,
	// which a manifest or a spec gives; empty where none does.
	DatasetLabel, BackboneLabel string

	Domain      string // what the inputs are, such as images or text; empty where nobody says
	CalibrateOn string // the network that the calibration set is of, if it is another one
	Source      string // measured or simulated; empty if there are no arrays
	Kind        string // of the arrays: logits, log-probs, probs or confidence; empty for logits that are not stated
	N, K        int    // rows of the test set, and classes; 0, written empty, where they are not known
	Notes       Notes  // of the kinds From, Samples, RowIDs, Paper, StandIn, Arrays and Warned

	// Test and Cal name the content of the arrays that the methods read ("logits sha256:...;
	// labels sha256:..."), or describe the virtual network. They are empty without arrays.
	Test, Cal string
}

var settingsFormat = csvfile.Format[SettingInfo]{
	Columns: append(settingColumns(), "dataset_label", "backbone_label", "domain", "calibrate_on", "source", "kind", "n", "k", "from", "samples", "row_ids", "paper", "stand_in", "note", "test", "cal"),
	Added:   []string{"dataset_label", "backbone_label", "domain"},
	Fields: func(s SettingInfo) []string {
		paper := ""
		if s.Notes.Has(Paper) {
			paper = "yes"
		}
		return append(s.Setting.fields(), csvfile.PlainText(s.DatasetLabel), csvfile.PlainText(s.BackboneLabel), csvfile.PlainText(s.Domain), csvfile.PlainText(s.CalibrateOn), s.Source, s.Kind, csvfile.FormatCount(s.N), csvfile.FormatCount(s.K),
			csvfile.PlainText(s.Notes.Text(From)), csvfile.PlainText(s.Notes.Text(Samples)), csvfile.PlainText(s.Notes.Text(RowIDs)), paper,
			csvfile.PlainText(s.Notes.Text(StandIn)), s.Notes.without(ofColumns).text(), csvfile.PlainText(s.Test), csvfile.PlainText(s.Cal))
	},
	Parse: parseSettingInfo,
	Check: func(s SettingInfo) error {
		if err := cmp.Or(s.Setting.check(), s.Notes.check()); err != nil || s.Source == "" {
			return err
		}
		return checkSource(s.Source)
	},
	Identity: func(s SettingInfo) []string { return s.Setting.fields() },
}

// ofColumns are the kinds of notes that have a column of settings.csv.
func ofColumns(f Note) bool {
	switch f.Kind {
	case From, Samples, RowIDs, Paper, StandIn:
		return true
	}
	return false
}

func parseSettingInfo(row *csvfile.Row) SettingInfo {
	s := SettingInfo{Setting: parseSetting(row), DatasetLabel: csvfile.PlainText(row.Text()), BackboneLabel: csvfile.PlainText(row.Text()), Domain: csvfile.PlainText(row.Text()), CalibrateOn: csvfile.PlainText(row.Text()), Source: row.Text(), Kind: row.Text(), N: row.CountOrNone(), K: row.CountOrNone()}
	add := func(kind NoteKind, text string) {
		if text != "" {
			s.Notes = append(s.Notes, Note{Kind: kind, Text: text})
		}
	}
	add(From, csvfile.PlainText(row.Text()))
	add(Samples, csvfile.PlainText(row.Text()))
	add(RowIDs, csvfile.PlainText(row.Text()))
	switch paper := row.Text(); paper {
	case "yes":
		s.Notes = append(s.Notes, Note{Kind: Paper})
	case "":
	default:
		row.Fail("paper", "%q is neither yes nor empty", paper)
	}
	add(StandIn, csvfile.PlainText(row.Text()))
	s.Notes = append(s.Notes, parseNote(row)...)
	s.Test, s.Cal = csvfile.PlainText(row.OwnText()), csvfile.PlainText(row.OwnText())
	return s
}

// ReadSettings reads a settings.csv. An error names file, line and column.
func ReadSettings(path string) ([]SettingInfo, error) { return settingsFormat.ReadFile(path) }

// SettingLabels returns the names in print of data sets and networks, by id. Of two names of one
// id the first counts.
func SettingLabels(list []SettingInfo) map[string]string {
	labels := map[string]string{}
	for _, s := range list {
		for id, label := range map[string]string{s.Dataset: s.DatasetLabel, s.Backbone: s.BackboneLabel} {
			if labels[id] == "" && label != "" {
				labels[id] = label
			}
		}
	}
	return labels
}

// notesOf returns the notes of settings.
func notesOf(list []SettingInfo) map[Setting]Notes {
	of := make(map[Setting]Notes, len(list))
	for _, s := range list {
		of[s.Setting] = s.Notes
	}
	return of
}

// apart returns the note of a record without the notes of its setting, with which it begins.
func (r Record) apart(known Notes) Notes {
	if r.Status != OK || len(r.Note) < len(known) || !r.Note[:len(known)].Equal(known) {
		return r.Note
	}
	return r.Note[len(known):]
}

// WriteSettings writes a settings.csv.
func WriteSettings(path string, list []SettingInfo) error {
	return settingsFormat.WriteFile(path, list)
}

// Join puts the notes of the settings before the notes of the records that have a value.
// Records that share a note share the joined one.
func Join(records []Record, list []SettingInfo) {
	known := notesOf(list)
	type key struct {
		setting Setting
		own     *Note // the first of the note: readers give equal texts one note
	}
	joined := map[key]Notes{}
	for i := range records {
		r := &records[i]
		of := known[r.Setting]
		if r.Status != OK || len(of) == 0 {
			continue
		}
		if len(r.Note) == 0 {
			r.Note = of
			continue
		}
		k := key{r.Setting, &r.Note[0]}
		note, ok := joined[k]
		if !ok {
			note = append(of[:len(of):len(of)], r.Note...)
			joined[k] = note
		}
		r.Note = note
	}
}
