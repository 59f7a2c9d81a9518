package results

// PublishedRow is the numbers that a printed table ranks against each other,
// in the order of its methods.
type PublishedRow struct {
	PublishedSetting
	Numbers []Published
}

// Number returns what is printed for the method with the label.
func (r PublishedRow) Number(label string) (Published, bool) {
	for _, p := range r.Numbers {
		if p.Label == label {
			return p, true
		}
	}
	return Published{}, false
}

// Ranked returns the numbers that take part in the ranking.
func (r PublishedRow) Ranked() []Published {
	var list []Published
	for _, p := range r.Numbers {
		if p.Ranked() {
			list = append(list, p)
		}
	}
	return list
}

// Publication is published numbers arranged as the rows of their tables. It is
// read-only and safe for concurrent use.
type Publication struct {
	Rows  []PublishedRow // table by table; in a table, by first appearance
	index map[PublishedSetting]int
}

// NewPublication arranges numbers.
func NewPublication(list []Published) *Publication {
	p := &Publication{index: map[PublishedSetting]int{}}
	for _, t := range PublishedTables() {
		for _, n := range list {
			if n.Table != t.ID {
				continue
			}
			i, ok := p.index[n.PublishedSetting]
			if !ok {
				i = len(p.Rows)
				p.index[n.PublishedSetting] = i
				p.Rows = append(p.Rows, PublishedRow{PublishedSetting: n.PublishedSetting})
			}
			p.Rows[i].Numbers = append(p.Rows[i].Numbers, n)
		}
	}
	return p
}

// Row returns the row of a setting.
func (p *Publication) Row(s PublishedSetting) (PublishedRow, bool) {
	i, ok := p.index[s]
	if !ok {
		return PublishedRow{}, false
	}
	return p.Rows[i], true
}

// Table returns the rows of a table.
func (p *Publication) Table(id string) []PublishedRow {
	var rows []PublishedRow
	for _, r := range p.Rows {
		if r.Table == id {
			rows = append(rows, r)
		}
	}
	return rows
}

// IsAverage reports whether the setting is a mean over datasets or corruptions.
func (s PublishedSetting) IsAverage() bool { return s.Dataset == Average || s.Corruption == Average }

// Averaged returns the settings of the supplement over which an average runs:
// the 15 corruptions of one severity, or the 11 medical datasets of one
// backbone. It is empty for a setting that is no average.
func (p *Publication) Averaged(s PublishedSetting) []PublishedSetting {
	if !s.IsAverage() {
		return nil
	}
	full := "medical-full"
	if s.Corruption == Average {
		full = "shift-full"
	}
	var list []PublishedSetting
	for _, r := range p.Rows {
		if r.Table == full && r.Backbone == s.Backbone && r.Severity == s.Severity && !r.IsAverage() {
			list = append(list, r.PublishedSetting)
		}
	}
	return list
}
