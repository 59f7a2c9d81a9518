package data

// Len returns n, the number of samples, which all arrays of s have but Head and OOD; 0 if it has
// those alone.
func (s *Set) Len() int {
	switch {
	case s.Logits.Present():
		return s.Logits.Rows
	case s.Confidence != nil:
		return len(s.Confidence)
	case s.Labels != nil:
		return len(s.Labels)
	case s.Features.Present():
		return s.Features.Rows
	case len(s.Augmented) > 0:
		return s.Augmented[0].Rows
	}
	return 0
}

// Gather returns rows of some sets in new memory, in the order of rows: row i of the second set
// is number n + i, where the first has n. An array is present if every set has it, and so is a view.
// Head and OOD, which belong to the network, are those of the first set and share its memory. Weights and
// groups are present if one of the sets has them, and rows of different sets are of different groups; see
// gatherWeights. It panics if a row is not in the sets.
func Gather(rows []int, sets ...*Set) *Set {
	from, at := make([]*Set, len(rows)), make([]int, len(rows))
	views := len(sets[0].Augmented)
	labels, confidence, samples := true, true, 0
	for _, s := range sets {
		views, labels, samples = min(views, len(s.Augmented)), labels && s.Labels != nil, samples+s.Len()
		confidence = confidence && s.Confidence != nil
	}
	out := &Set{Head: sets[0].Head, OOD: sets[0].OOD, Classes: sets[0].Classes, Unit: sets[0].Unit}
	if samples == 0 {
		return out
	}
	for i, row := range rows {
		k := 0
		for ; row >= sets[k].Len(); k++ {
			row -= sets[k].Len()
		}
		from[i], at[i] = sets[k], row
	}
	table := func(of func(*Set) Matrix) Matrix {
		for _, s := range sets {
			if !of(s).Present() {
				return Matrix{}
			}
		}
		m := NewMatrix(len(rows), of(sets[0]).Cols)
		for i, s := range from {
			copy(m.Row(i), of(s).Row(at[i]))
		}
		return m
	}
	out.Logits = table(func(s *Set) Matrix { return s.Logits })
	out.Features = table(func(s *Set) Matrix { return s.Features })
	for v := range views {
		out.Augmented = append(out.Augmented, table(func(s *Set) Matrix { return s.Augmented[v] }))
	}
	if confidence {
		out.Confidence = make([]float64, len(rows))
		for i, s := range from {
			out.Confidence[i] = s.Confidence[at[i]]
		}
	}
	if labels {
		out.Labels = make([]int32, len(rows))
		for i, s := range from {
			out.Labels[i] = s.Labels[at[i]]
		}
	}
	out.gatherWeights(rows, sets)
	return out
}
