package fit

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestPackedNumbersAreReadAsTheyAreWritten, also if there are none.
func TestPackedNumbersAreReadAsTheyAreWritten(t *testing.T) {
	for _, p := range []Packed[float64]{nil, {}, {1, -0.1, 5e-324}} {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var got Packed[float64]
		if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, p) {
			t.Errorf("%v is written as %s and read as %v, error %v", p, text, got, err)
		}
	}
	if err := json.Unmarshal([]byte("null"), new(Packed[float32])); err == nil {
		t.Error("null is read as numbers")
	}
}

// Other texts of JSON, and base64 that is cut or goes on, are not numbers.
func TestPackedNumbersRejectOtherTexts(t *testing.T) {
	for _, text := range []string{"123456789012345678", "true", "{}", `"AACAPwAAgD8AAIA/!"`, `"AACAPwAAgD8AAIA"`, `"AACA"`} {
		var got Packed[float32]
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
	var got Packed[float32]
	if err := json.Unmarshal([]byte(`"AACAPwAAgD8AAIA/"`), &got); err != nil || !slices.Equal(got, Packed[float32]{1, 1, 1}) {
		t.Errorf("three ones are read as %v, error %v", got, err)
	}
}
