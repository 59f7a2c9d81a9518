package data

import (
	"reflect"
	"testing"
)

func TestGatheredRowsAreThoseOfTheUnion(t *testing.T) {
	table := func(v ...float32) Matrix { return Matrix{Rows: len(v), Cols: 1, Data: v} }
	head := Linear{W: table(1), B: []float32{2}}
	a := &Set{Logits: table(1, 2), Labels: []int32{3, 4}, Features: table(5, 6), Augmented: []Matrix{table(7, 8), table(0, 0)}, Head: head, OOD: table(9)}
	b := &Set{Logits: table(11, 12, 13), Labels: []int32{14, 15, 16}, Augmented: []Matrix{table(17, 18, 19)}}
	want := &Set{Logits: table(13, 1, 11, 1), Labels: []int32{16, 3, 14, 3}, Augmented: []Matrix{table(19, 7, 17, 7)}, Head: head, OOD: table(9)}
	if got := Gather([]int{4, 0, 2, 0}, a, b); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := Gather([]int{1}, a), a.Rows(1, 2); !reflect.DeepEqual(got, want) {
		t.Errorf("of one set: %+v, want %+v", got, want)
	}
	if got := Gather([]int{0, 3}, b, a); got.Features.Present() || !reflect.DeepEqual(got.Logits, table(11, 1)) {
		t.Errorf("of sets of which the first has no features: %+v", got)
	}
	if got := Gather(nil, a); got.Len() != 0 || got.Logits.Cols != 1 {
		t.Errorf("no rows: %+v", got)
	}
	if got := Gather([]int{1}, &Set{Head: head}); !reflect.DeepEqual(got, &Set{Head: head}) {
		t.Errorf("of a head alone: %+v", got)
	}
	for parts, n := range map[Parts]int{Logits | Head: 2, Labels: 2, Features | OOD: 2, Augmented: 2, Head | OOD: 0} {
		if got := a.View(parts).Len(); got != n {
			t.Errorf("%s: %d samples, want %d", parts, got, n)
		}
	}
}
