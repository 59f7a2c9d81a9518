package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
)

// record is what is kept of one draw.
type record struct {
	Data, Model, Family string
	Kind                string // of the scores
	N, Draw, K, Tests   int
	Zeros               int // probabilities of exactly 0 of the calibration rows
	AllRight, OneClass  bool
	T, Z                float64 // of ts on all calibration rows; z = ln T / se(ln T)
	Shares, SharesTS    float64 // P of the shares test of the network, and of ts
	Chosen              string  `json:"Today"` // what trial.Run chooses
	Methods             []method

	nll, brier [][]float32 // of the calibration rows by cross-fitting, of each method; nil if a fold failed
}

// method is a method of a draw.
type method struct {
	Name       string
	Bar        string
	Keeps      bool
	Parameters int
	Crossed    bool
	Enough     bool // right and wrong predictions of the calibration rows for a verdict
	SameTS     bool

	NLL, Brier float64     // on the test rows
	To         [2]compared // uncal, ts
}

// compared is a difference of the test NLL.
type compared struct{ D, P float64 }

// write appends a record.
func (r *record) write(w io.Writer) error {
	head, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	b = append(b, head...)
	for m := range r.Methods {
		if r.Methods[m].Crossed {
			for _, v := range [][]float32{r.nll[m], r.brier[m]} {
				for _, x := range v {
					b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
				}
			}
		}
	}
	_, err = w.Write(b)
	return err
}

// each calls do with every record of a file, until its end or a record that is cut off.
func each(name string, do func(*record) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		r, err := next(in)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(r); err != nil {
			return err
		}
	}
}

// next reads a record.
func next(in io.Reader) (*record, error) {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	head := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(in, head); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	r := &record{}
	if err := json.Unmarshal(head, r); err != nil {
		return nil, err
	}
	r.nll, r.brier = make([][]float32, len(r.Methods)), make([][]float32, len(r.Methods))
	body := make([]byte, 4*r.N)
	for m := range r.Methods {
		if !r.Methods[m].Crossed {
			continue
		}
		for _, to := range []*[]float32{&r.nll[m], &r.brier[m]} {
			if _, err := io.ReadFull(in, body); err != nil {
				return nil, io.ErrUnexpectedEOF
			}
			v := make([]float32, r.N)
			for i := range v {
				v[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
			}
			*to = v
		}
	}
	return r, nil
}

// id identifies the draw.
func (r *record) id() string { return fmt.Sprintf("%s/%s/%d/%d", r.Data, r.Model, r.N, r.Draw) }

// id identifies the draw.
func (j job) id() string { return fmt.Sprintf("%s/%s/%d/%d", j.Data, j.Model, j.n, j.draw) }
