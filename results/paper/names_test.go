package paper

import (
	"slices"
	"strings"
	"testing"
)

// Every id of the printed tables has a name, and so has every data set of the paper.
func TestPublishedIDsHaveNames(t *testing.T) {
	list, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		for column, id := range map[string]string{"dataset": p.Dataset, "backbone": p.Backbone, "corruption": p.Corruption} {
			plain := column == "corruption" && !strings.Contains(id, "_") // such as fog
			if Name(column, id) == id && !plain && id != Average {
				t.Errorf("%s %s has no name", column, id)
			}
		}
		if p.Dataset != Average && !slices.Contains(Datasets(), p.Dataset) {
			t.Errorf("%s is not among the data sets", p.Dataset)
		}
	}
	for _, d := range Datasets() {
		if Names()[d] == "" {
			t.Errorf("%s has no name", d)
		}
	}
}
