package simulate

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Constants are the free constants of the model. A network with them has the accuracy and the ECE
// that it states, within Tolerance on its Probe.
type Constants struct {
	Signal float64 `json:"signal"` // mean signal of an image
	Favour float64 `json:"favour"` // share of the log prior in the network's offsets
	Excess float64 `json:"excess"` // A of the row scale
	Loss   float64 `json:"loss"`   // share of the signal that the corruption takes, and the variance of its noise
	Factor float64 `json:"factor"` // on the row scale of shifted images
}

// scale returns the factor of a row whose calibrated confidence is conf; see
// the package comment.
func (c Constants) scale(conf, tilt float64) float64 {
	return float64(c.Factor * (1 + float64(c.Excess*(1+float64(tilt*(0.5-conf))))))
}

// signal levels of images, relative to their mean: uniform on [minLevel, 2-minLevel).
const minLevel = 0.5

func level(u float64) float64 { return minLevel + float64((2-2*minLevel)*u) }

// Tolerance of a solved accuracy or ECE on the probe.
const Tolerance = 1e-4

// ConstantsFile has the constants of the networks of networks.yaml and of the examples, one network
// a line. The program networks of the module studies solves for those that are missing, and a test
// says that those of the file are still right.
const ConstantsFile = "data/simulate/constants.jsonl"

//go:embed constants.jsonl
var constantsFile []byte

// Solved is a network with its constants: a line of a file such as ConstantsFile. What does not
// decide the constants, such as numbers of rows, is not in the file.
type Solved struct {
	Network
	Constants Constants `json:"constants,omitzero"`
}

// Known returns the networks of ConstantsFile.
func Known() ([]Solved, error) {
	list, err := ReadSolved(bytes.NewReader(constantsFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ConstantsFile, err)
	}
	return list, nil
}

// KnownWith returns the networks of ConstantsFile and those of a file of a user's own, if there is one.
func KnownWith(file string) ([]Solved, error) {
	list, err := Known()
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return list, nil
	case err != nil:
		return nil, err
	}
	more, err := ReadSolved(bytes.NewReader(own))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return append(list, more...), nil
}

// ReadSolved reads networks, one in JSON a line. The constants of one without them are zero.
func ReadSolved(r io.Reader) (list []Solved, err error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	for {
		var s Solved
		switch err := dec.Decode(&s); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("network %d: %w", len(list), err)
		}
		list = append(list, s)
	}
}

// WriteSolved writes networks as ReadSolved reads them.
func WriteSolved(w io.Writer, list []Solved) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, s := range list {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	return nil
}

// identityText names what decides the constants.
func (w Network) identityText() string { return w.text() + w.Shift.text() }

// unsolved is the error of a network whose constants are not known.
func unsolved(w Network) error {
	var line bytes.Buffer
	if err := WriteSolved(&line, []Solved{{Network: w}}); err != nil {
		return err
	}
	return fmt.Errorf("simulated network %s%s: its constants are not known; add the line %s to %s, beside networks.yaml, and solve it: go run ./networks FILE, with the full name of constants.jsonl as FILE, in the folder studies of a checkout of qats",
		w.Name, w.Shift.text(), bytes.TrimSpace(line.Bytes()), ConstantsFile)
}
