package folder

import (
	"context"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// ArrayHeader describes the file of an array.
type ArrayHeader struct {
	Role  string // logits, labels, features, augmented, head_weight, head_bias or ood
	Name  string // of the file, as errors print it
	DType npy.DType
	Shape []int
}

// Headers checks the files of the parts of ref by their headers alone: that each
// exists, is complete and has a type and shape that agree with the others and with
// the manifest. It returns the error that Open would return, but it unpacks no archive
// and reads no number, so numbers may still be wrong. It returns what the headers say.
// A source without files has nothing to check. Of a set that is computed from several
// others, all are checked, and the headers of the last are returned.
func Headers(ctx context.Context, src data.Source, ref data.Ref, parts data.Parts) (all []ArrayHeader, err error) {
	for f, in := range data.Beneath[*Folder](src, ref, parts) {
		if all, err = f.headers(ctx, in.Ref, in.Parts); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// OtherNames says which arrays were taken as the logits and labels of a set, where they have other
// names; "" where they have not.
func OtherNames(arrays []ArrayHeader) string {
	var scores, labels, predicted string
	for _, a := range arrays {
		switch a.Role {
		case "logits":
			scores = a.Name
		case "labels":
			labels = a.Name
		case "predicted":
			predicted = data.ArrayOf(a.Name)
		}
	}
	role := func(file string) string {
		_, name := data.RoleOf(data.ArrayOf(file))
		return name
	}
	if scores == "" || labels == "" || role(scores) == "logits" && role(labels) == "labels" {
		return ""
	}
	return "taken are " + data.Chosen{Logits: data.ArrayOf(scores), Labels: data.ArrayOf(labels), Predicted: predicted, Kind: data.KindOfName(role(scores))}.String()
}

// headers is Headers of a folder.
func (f *Folder) headers(ctx context.Context, ref data.Ref, parts data.Parts) ([]ArrayHeader, error) {
	var all []ArrayHeader
	files, err := f.all(ref)
	if err != nil {
		return nil, err
	}
	err = files.CheckWith(parts, func(x data.ArrayFile) (*npy.Array, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := f.at(x.Path)
		a, err := l.Unread()
		if err != nil {
			return nil, err
		}
		all = append(all, ArrayHeader{x.Role, l.Name, a.DType(), a.Shape()})
		return a, f.verifyShape(a, x.Path)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
