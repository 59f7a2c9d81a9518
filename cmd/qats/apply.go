package main

import (
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/results/table"
	"github.com/spf13/cobra"
)

func applyCommand() *cobra.Command {
	var a apply
	cmd := &cobra.Command{
		Use:   "apply MODEL",
		Short: "Apply a saved calibrator to logits, and write the probabilities",
		Long: `apply applies a saved calibrator to logits, and writes the probabilities (float64, n x k). The
ending of the output decides its format: .npy, .npz or .csv. A top-label method has a
probability of only the predicted class; its pairs of class and confidence are written to top.npz
beside the output.`,
		Example: examples(
			"apply model.json --logits test/logits.npy -o probs.npy",
			"apply model.json --confidence test/confidence.npy -o calibrated.npy",
			"apply model.json --logits test/logits.npy --shares .02,.98 -o probs.npy",
			"apply model.json --logits -#logits -o - < test.safetensors > probs.npy",
		),
		Args: argumentsOr(1, 1, "apply takes one saved model, as in: "+called.Command()+" apply model.json --logits L.npy -o probs.npy"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args[0]) },
	}
	a.flags(cmd, "set", false)
	a.memory.flag(cmd)
	f := cmd.Flags()
	f.StringVarP(&a.output, "output", "o", "", "`FILE` to write: .npy, .npz or .csv; - for standard output")
	a.dtype = npy.Float64
	choiceFlag(cmd, &a.dtype, "dtype", []npy.DType{npy.Float32, npy.Float64}, "`TYPE` of the output")
	f.BoolVar(&a.temperature, "temperature", false, "write the temperature of each row in place of probabilities")
	f.Float64SliceVar(&a.shares, "shares", nil, "`SHARES` of the classes where the probabilities are used, such as .02,.98, if they are not those of the calibration rows")
	ofArrays(cmd)
	f.BoolVar(&a.json, "json", false, oneObject)
	return cmd
}

// apply holds the flags of qats apply.
type apply struct {
	arrayFiles
	output      string
	dtype       npy.DType
	temperature bool
	shares      []float64
	memory      memory
	json        bool
}

// applyJSON is the result of qats apply --json.
type applyJSON struct {
	Method   string    `json:"method"`
	Rows     int       `json:"rows"`
	Classes  int       `json:"classes"`
	Output   string    `json:"output"`
	Holds    string    `json:"holds"` // probabilities, temperatures or confidences
	DType    npy.DType `json:"dtype"`
	TopLabel bool      `json:"top_label"`
	Pairs    string    `json:"pairs,omitempty"` // the file with class and conf of a top-label method
	Warnings []warning `json:"warnings"`
}

func (a *apply) run(cmd *cobra.Command, path string) error {
	if a.output == "" {
		return usage("apply needs -o FILE.npy")
	}
	if a.json && a.output == stdoutName {
		return usage("-o - and --json both name standard output: name a file for the array")
	}
	if a.shares != nil && a.temperature {
		return usage("--shares moves probabilities, and --temperature writes none: leave one of them out")
	}
	if _, err := data.FormOf(a.output); err != nil {
		return usage("-o %w", err)
	}
	stdout, err := binaryOutput(cmd, a.output)
	if err != nil {
		return err
	}
	if err := checkOutput(a.output); err != nil {
		return err
	}
	model, contract, err := loadModel(path)
	if err != nil {
		return err
	}
	if err := a.takeConfidence(); err != nil {
		return err
	}
	files, err := a.only(contract.Test|data.Logits, model.Method)
	if err != nil {
		return err
	}
	files.FS, files.MemberLimit = a.columns.input(cmd, a.memory), a.memory.bytes
	warnings := []warning{}
	tell := teller(cmd, a.json, &warnings)
	if err := a.takeManifest(tell); err != nil {
		return err
	}
	files.Kind, files.Ignore, files.Classes = a.files.Kind, a.files.Ignore, a.files.Classes
	set := arrays.Apply{Model: model, Contract: contract, Files: files, DType: a.dtype, Temperatures: a.temperature, Shares: a.shares, Warn: notesTo(tell)}
	applied, err := set.Write(cmd.Context(), a.output, stdout)
	if err != nil {
		for _, x := range warnings {
			warn(cmd.ErrOrStderr(), x)
		}
		return err
	}
	if !a.json {
		return nil
	}
	_, top := model.Map.(calib.TopLabel)
	object := applyJSON{Method: model.Method, Rows: applied.Rows, Classes: applied.Classes, Output: a.output, Holds: "probabilities", DType: a.dtype,
		TopLabel: top, Pairs: applied.Pairs, Warnings: warnings}
	if a.temperature {
		object.Holds = "temperatures"
	}
	if applied.ConfidenceOnly {
		object.Holds, object.TopLabel = "confidences", true
	}
	return table.WriteJSON(cmd.OutOrStdout(), []applyJSON{object})
}

// loadModel reads a saved model, and finds the contract of its method.
func loadModel(path string) (*calib.Model, calib.Contract, error) {
	f, _, err := inputfile.Open(path)
	if err != nil {
		return nil, calib.Contract{}, &problem.Problem{Place: path, Cause: inputfile.Cause(err).Error()}
	}
	defer f.Close()
	model, err := calib.LoadModel(f, all.Registry())
	if err != nil {
		return nil, calib.Contract{}, &problem.Problem{Place: path, Cause: err.Error()}
	}
	entry, _ := all.Lookup(model.Method)
	return model, entry.Method.Contract(), nil
}
