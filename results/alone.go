package results

// KindAlone is the Kind of settings with a confidence alone.
const KindAlone = "confidence"

// Apart returns the rows that statements over settings are about: those of settings with logits and, where there are
// none, those with a confidence alone. The methods of the two sorts are other ones, so that they never count together.
// alone is the number of settings that are left out.
func (r *Rows) Apart() (rows *Rows, alone int) {
	is := map[Setting]bool{}
	for _, s := range r.Settings {
		if s.Kind == KindAlone {
			is[s.Setting] = true
		}
	}
	others := false
	for i := range r.Records {
		others = others || !is[r.Records[i].Setting]
	}
	if len(is) == 0 || !others {
		return r, 0
	}
	return r.Where(func(s Setting, _ string) bool { return !is[s] }), len(is)
}
