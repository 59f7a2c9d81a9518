package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
)

// confidenceFlags declares the flags of predictions with a confidence alone.
func confidenceFlags(cmd *cobra.Command, confidence *string, classes *int, columns *readingFlags) {
	cmd.Flags().StringVar(confidence, "confidence", "", "`FILE` of the confidence of each prediction, where there are no logits")
	cmd.Flags().Var(classesFlag{classes, &columns.reading.Classes}, "classes", "with --confidence: number `K` of classes, which ts-top and qats-top read")
	columns.flags(cmd)
	cmd.MarkFlagFilename("confidence", "npy", "npz", "safetensors", "csv")
}

// outcomeFlags declares the flags that say whether such predictions are right.
func outcomeFlags(cmd *cobra.Command, correct, predicted *string) {
	cmd.Flags().StringVar(correct, "correct", "", "with --confidence: `FILE` of 0 and 1, 1 where the prediction is right")
	cmd.Flags().StringVar(predicted, "predicted", "", "with --confidence and --labels: `FILE` of the predicted classes")
	for _, name := range []string{"correct", "predicted"} {
		cmd.MarkFlagFilename(name, "npy", "npz", "safetensors", "csv")
	}
}

// withConfidence returns files whose confidence and outcomes are named by flags of their own.
func withConfidence(files data.Files, confidence, correct string) (data.Files, error) {
	if files.Classes != 0 && files.Classes < 2 {
		return files, usage("--classes %d: want 2 or more", files.Classes)
	}
	alone := confidence != "" || files.Kind == data.KindConfidence
	switch {
	case !alone && (correct != "" || files.Predicted != "" || files.Classes != 0):
		return files, usage("--correct, --predicted and --classes go with --confidence")
	case !alone:
		return files, nil
	case confidence != "" && files.Logits != "":
		return files, usage("--confidence is in the place of --logits: name one of the two")
	case files.Kind != data.AnyKind && files.Kind != data.KindConfidence:
		return files, usage("--confidence has the kind confidence: leave out --kind %s", files.Kind)
	case correct != "" && (files.Labels != "" || files.Predicted != ""):
		return files, usage("--correct says which predictions are right, and so do --predicted and --labels: name one of the two")
	case files.Predicted != "" && files.Labels == "":
		return files, usage("--predicted needs --labels, the true classes")
	}
	files.Kind = data.KindConfidence
	if confidence != "" {
		files.Logits = confidence
	}
	if correct != "" {
		files.Labels = correct
	}
	return files, nil
}

// takeConfidence takes the flags of predictions with a confidence alone.
func (a *arrayFiles) takeConfidence() (err error) {
	a.files, err = withConfidence(a.files, a.confidence, a.correct)
	return err
}
