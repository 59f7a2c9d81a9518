package folder

import (
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

func TestDefaultLayoutNamesEveryArray(t *testing.T) {
	clean := data.Ref{Dataset: "cifar10", Backbone: "vit-b16", Loss: "ce", Split: data.Cal}
	focal := data.Ref{Dataset: "cifar10", Backbone: "vit-b16", Loss: "focal", Split: data.Test}
	fog := data.Ref{Dataset: "cifar10-c", Backbone: "vit-b16", Corruption: "fog", Severity: 3, Split: data.Test}
	if l, err := ParseLayout(DefaultLayout); err != nil || l.String() != (Layout{}).String() {
		t.Errorf("the default layout is not one: %v, %v", l, err)
	}
	for _, c := range []struct {
		ref  data.Ref
		name string
		want data.Files
	}{
		{clean, "cifar10/vit-b16/cal", data.Files{
			Logits: "cifar10/vit-b16/cal/logits.npy", Labels: "cifar10/vit-b16/cal/labels.npy",
			Features: "cifar10/vit-b16/cal/features.npy", Augmented: "cifar10/vit-b16/cal/logits_aug.npy",
			HeadWeight: "cifar10/vit-b16/head_weight.npy", HeadBias: "cifar10/vit-b16/head_bias.npy",
			OOD: "cifar10/vit-b16/ood/logits.npy"}},
		{focal, "cifar10/vit-b16/focal/test", data.Files{
			Logits: "cifar10/vit-b16/focal/test/logits.npy", Labels: "cifar10/vit-b16/focal/test/labels.npy",
			Features: "cifar10/vit-b16/focal/test/features.npy", Augmented: "cifar10/vit-b16/focal/test/logits_aug.npy",
			HeadWeight: "cifar10/vit-b16/focal/head_weight.npy", HeadBias: "cifar10/vit-b16/focal/head_bias.npy",
			OOD: "cifar10/vit-b16/focal/ood/logits.npy"}},
		{fog, "cifar10-c/vit-b16/fog/3", data.Files{
			Logits: "cifar10-c/vit-b16/fog/3/logits.npy", Labels: "cifar10-c/vit-b16/fog/3/labels.npy",
			Features: "cifar10-c/vit-b16/fog/3/features.npy", Augmented: "cifar10-c/vit-b16/fog/3/logits_aug.npy",
			HeadWeight: "cifar10-c/vit-b16/head_weight.npy", HeadBias: "cifar10-c/vit-b16/head_bias.npy",
			OOD: "cifar10-c/vit-b16/ood/logits.npy"}},
	} {
		got, err := Layout{}.Files(c.ref)
		if err != nil || !reflect.DeepEqual(got, c.want) || c.ref.String() != c.name {
			t.Errorf("%s: %+v, %v; want %s %+v", c.ref, got, err, c.name, c.want)
		}
	}
}

func TestRejectsTemplatesThatLoseOrLeave(t *testing.T) {
	ref := data.Ref{Dataset: "d", Backbone: "b", Split: data.Test}
	for template, want := range map[string]string{
		"{dataset}/{backbone}/{split}/{array}.npy": "d/b/test/logits.npy",
		"{dataset}.npz#{split}_{array}":            "d.npz#test_logits",
		"{backbone}-{dataset}/{split}.npz#{array}": "b-d/test.npz#logits",
		"x/{loss}/y//{split}-{array}.npy":          "x/y/test-logits.npy",
	} {
		l, err := ParseLayout(template)
		if err != nil {
			t.Error(err)
			continue
		}
		if f, err := l.Files(ref); err != nil || f.Logits != want {
			t.Errorf("%s: %s, %v; want %s", template, f.Logits, err, want)
		}
	}
	for template, want := range map[string]string{
		"":                            "has no {split}: different arrays would be the same file",
		"{split}/logits.npy":          "has no {array}: different arrays would be the same file",
		"/data/{split}/{array}.npy":   "an absolute path; want one relative to the root of the data",
		"../{split}/{array}.npy":      ".. leads out of the root",
		"a/../../{split}/{array}.npy": ".. leads out of the root",
		`a\{split}\{array}.npy`:       "a backslash; separate folders by /",
		"{split}/{arrays}.npy":        "unknown placeholder {arrays}; want one of {dataset}, {backbone}, {loss}, {corruption}, {severity}, {split}, {array}",
		"{split}/{array.npy":          "unbalanced brace",
		"{split}/}{array}.npy":        "unbalanced brace",
		"{split}/{{array}}.npy":       "unbalanced brace",
		"{split}/{array}":             "does not end in .npy, .npz#MEMBER or .safetensors#MEMBER",
		"{split}/{array}.npz":         "a member must be named FILE.npz#MEMBER or FILE.safetensors#MEMBER",
		"{split}#{array}.npy":         "a member must be named FILE.npz#MEMBER or FILE.safetensors#MEMBER",
	} {
		if _, err := ParseLayout(template); fmt.Sprint(err) != fmt.Sprintf("layout %q: %s", template, want) {
			t.Errorf("%s\ngot  %v\nwant %s", template, err, want)
		}
	}
}

// TestRejectsNamesThatLeadElsewhere, and sets that the template cannot tell apart.
func TestRejectsNamesThatLeadElsewhere(t *testing.T) {
	const short = "{dataset}/{backbone}/{split}/{array}.npy"
	for _, c := range []struct {
		template string
		ref      data.Ref
		want     string
	}{
		{short, data.Ref{Dataset: "..", Backbone: "b", Split: data.Cal}, `dataset ".." is not a name without separators`},
		{short, data.Ref{Dataset: ".", Backbone: "b", Split: data.Cal}, `dataset "." is not a name without separators`},
		{short, data.Ref{Dataset: "d", Backbone: "../../etc", Split: data.Cal}, `backbone "../../etc" is not a name without separators`},
		{short, data.Ref{Dataset: "d", Backbone: `a\b`, Split: data.Cal}, `backbone "a\\b" is not a name without separators`},
		{short, data.Ref{Dataset: "/d", Backbone: "b", Split: data.Cal}, `dataset "/d" is not a name without separators`},
		{short, data.Ref{Dataset: "{backbone}", Backbone: "b", Split: data.Cal}, `dataset "{backbone}" is not a name without separators`},
		{short, data.Ref{Dataset: "d", Backbone: "b", Split: "../x"}, `split "../x" is not a name without separators`},
		{short, data.Ref{Backbone: "b", Split: data.Cal}, `layout "` + short + `": the set has no dataset`},
		{short, data.Ref{Dataset: "d", Backbone: "b", Loss: "focal", Split: data.Cal}, `d/b/focal/cal: layout "` + short + `" has no {loss}, so the path would be that of another set`},
		{short, data.Ref{Dataset: "d", Backbone: "b", Corruption: "fog", Severity: 2, Split: data.Test}, `d/b/fog/2: layout "` + short + `" has no {corruption}, so the path would be that of another set`},
		{"", data.Ref{Dataset: "d", Backbone: "b", Corruption: "fog", Severity: 2, Split: data.Cal}, `d/b/fog/2: corrupted images have no calibration set`},
		{".{dataset}./{split}/{array}.npy", data.Ref{Split: data.Cal}, `layout ".{dataset}./{split}/{array}.npy": the set has no dataset`},
		{"{loss}./{split}/{array}.npy", data.Ref{Dataset: "d", Split: data.Cal}, `d//cal: layout "{loss}./{split}/{array}.npy" gives the path "./cal/logits.npy"`},
		{".{loss}./{split}/{array}.npy", data.Ref{Dataset: "d", Split: data.Cal}, `d//cal: layout ".{loss}./{split}/{array}.npy" gives the path "../cal/logits.npy"`},
	} {
		l := Layout{}
		if c.template != "" {
			var err error
			if l, err = ParseLayout(c.template); err != nil {
				t.Error(err)
				continue
			}
		}
		if f, err := l.Files(c.ref); fmt.Sprint(err) != c.want {
			t.Errorf("%+v: %+v\ngot  %v\nwant %s", c.ref, f, err, c.want)
		}
	}
}

// FuzzLayout: for any template and names, a path stays below the root.
func FuzzLayout(f *testing.F) {
	f.Add(DefaultLayout, "d", "b", "ce", "fog", 3, "test")
	f.Add("{dataset}.npz#{split}_{array}", "..", ".", "", "", 0, "cal")
	f.Add(".{loss}./{split}{array}.npy", "", "", "", "", 0, "a")
	f.Fuzz(func(t *testing.T, template, dataset, backbone, loss, corruption string, severity int, split string) {
		l, err := ParseLayout(template)
		if err != nil {
			return
		}
		files, err := l.Files(data.Ref{Dataset: dataset, Backbone: backbone, Loss: loss, Corruption: corruption, Severity: severity, Split: data.Split(split)})
		if err != nil {
			return
		}
		for _, x := range files.List(data.Logits | data.Labels | data.Features | data.Augmented | data.Head | data.OOD) {
			path := data.Forms().Locate(nil, x.Path).Path
			if !fs.ValidPath(path) || strings.Contains(path, "..") && strings.Contains("/"+path+"/", "/../") {
				t.Fatalf("%q leads to %q", template, x.Path)
			}
		}
	})
}

// TestFileTemplateFollowsTheRulesOfALayout, with one file a set.
func TestFileTemplateFollowsTheRulesOfALayout(t *testing.T) {
	ft, err := ParseFileTemplate("mine/{dataset}/{backbone}/{loss}/{corruption}/{severity}/probs.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ref  data.Ref
		want string
	}{
		{data.Ref{Dataset: "d", Backbone: "b", Loss: "ce", Split: data.Test}, "mine/d/b/probs.npy"},
		{data.Ref{Dataset: "d", Backbone: "b", Loss: "ls", Split: data.Cal}, "mine/d/b/ls/probs.npy"},
		{data.Ref{Dataset: "d", Backbone: "b", Corruption: "fog", Severity: 3}, "mine/d/b/fog/3/probs.npy"},
	} {
		if got, err := ft.Path(c.ref); got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.ref, got, err, c.want)
		}
	}
	if _, err := ft.Path(data.Ref{Dataset: "..", Backbone: "b"}); err == nil {
		t.Error("a dataset that climbs")
	}
	short, err := ParseFileTemplate("{dataset}/{backbone}.npy")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := short.Path(data.Ref{Dataset: "d", Backbone: "b", Loss: "focal"}); err == nil {
		t.Errorf("another loss is %s too", got)
	}
	for _, bad := range []string{"{dataset}/{split}.npy", "/{dataset}.npy", "../{dataset}.npy", "{dataset}.npz", "{set}.npy", "{dataset}.npz#x"} {
		if _, err := ParseFileTemplate(bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
