package npy

import (
	"encoding/binary"
	"encoding/json"
	"slices"
)

// TensorWriter makes a .safetensors in memory.
type TensorWriter struct {
	header map[string]any
	body   []byte
}

func (w *TensorWriter) Add(name, kind string, shape []int, b []byte) {
	if w.header == nil {
		w.header = map[string]any{}
	}
	w.header[name] = map[string]any{"dtype": kind, "shape": shape, "data_offsets": []int{len(w.body), len(w.body) + len(b)}}
	w.body = append(w.body, b...)
}

func (w *TensorWriter) Bytes() (Held, error) {
	head, err := json.Marshal(w.header)
	if err != nil {
		return nil, err
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, w.body), nil
}
