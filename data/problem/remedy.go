package problem

// Remedy is what the reader can state, so that an input is read as it is meant. The zero Remedy is none.
type Remedy struct {
	Argument string `json:"argument,omitempty"` // what is stated: kind or ignore
	Value    string `json:"value,omitempty"`    // that helps, such as probs or 9,255; empty where the reader knows it alone
	Words    string `json:"words,omitempty"`    // the part of a text that says so for manifests, specs and flags; other callers write it anew
}
