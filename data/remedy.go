package data

import (
	"fmt"
	"strings"
)

// Remedy is what the reader can state, so that an input is read as it is meant. The zero Remedy is none.
type Remedy struct {
	Argument string `json:"argument,omitempty"` // what is stated: kind or ignore
	Value    string `json:"value,omitempty"`    // that helps, such as probs or 9,255; empty where the reader knows it alone
	Words    string `json:"words,omitempty"`    // the part of a text that says so for manifests, specs and flags; other callers write it anew
}

// stateKind is the remedy of arrays that are of another kind than the logits as which they are read.
func stateKind(k Kind) Remedy {
	return Remedy{"kind", string(k), fmt.Sprintf("state kind: %s in %s (fit, apply and try: --kind %[1]s; score: --%[1]s)", k, ManifestName)}
}

// stateIgnore is the remedy of labels of rows that have no class.
func stateIgnore(list Ignore) Remedy {
	key := list.String()
	if len(list) > 1 {
		key = "[" + strings.ReplaceAll(key, ",", ", ") + "]"
	}
	return Remedy{"ignore", list.String(), fmt.Sprintf("state ignore: %s in %s or the spec, or --ignore %s", key, ManifestName, list)}
}
