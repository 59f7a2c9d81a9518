package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// archive FILE NAME=ARRAY.npy...: writes a .safetensors of some arrays, integers as I32, float64
// as F64, others as F32.
func archive(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: archive FILE NAME=ARRAY.npy...")
	}
	type tensor struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	var header strings.Builder
	var body []byte
	for i, arg := range args[1:] {
		name, path, _ := strings.Cut(arg, "=")
		a, err := data.OpenArray(nil, ts.MkAbs(path))
		ts.Check(err)
		defer a.Close()
		values := make([]float64, a.Rows()*a.Cols())
		ts.Check(a.ReadFloat64(values, 0, a.Rows()))
		t := tensor{Shape: a.Shape(), Offsets: [2]int{len(body)}}
		for _, v := range values {
			switch {
			case a.DType().Integer():
				t.DType, body = "I32", binary.LittleEndian.AppendUint32(body, uint32(int32(v)))
			case a.DType() == npy.Float64:
				t.DType, body = "F64", binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
			default:
				t.DType, body = "F32", binary.LittleEndian.AppendUint32(body, math.Float32bits(float32(v)))
			}
		}
		t.Offsets[1] = len(body)
		text, err := json.Marshal(t)
		ts.Check(err)
		header.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + `"` + name + `":` + string(text))
	}
	header.WriteString("}")
	file := binary.LittleEndian.AppendUint64(nil, uint64(header.Len()))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(append(file, header.String()...), body...), 0o666))
}
