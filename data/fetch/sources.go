package fetch

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Source is a place where predictions are published.
type Source struct {
	Name    string
	Title   string // what it has, in a few words
	Page    string // address for people
	Licence string
	Format  string // of data/public; empty if the user must say it
	Into    string // folder of arrays that its predictions are imported to by default
	Files   []File
}

// File is one file of a source.
type File struct {
	Name   string
	URL    string
	Bytes  int64  // 0 if the source does not publish it
	SHA256 string // in hex; empty if the source does not publish it
	MD5    string // likewise
	// Always: the file is fetched with any choice of others.
	Always bool
	// OnRequest: the file is fetched only by a choice that names it.
	OnRequest bool
}

// Sources returns the known sources, in the order in which help lists them.
func Sources() []Source { return []Source{nncal(), medmnist(), calarena()} }

// nncal lists the logits of NN_calibration. The repository keeps them in Git LFS,
// whose pointers state size and SHA-256; these are the pointers of commit 91f0563.
func nncal() Source {
	s := Source{
		Name: "nncal", Title: "logits of eleven networks on CIFAR-10, CIFAR-100 and SVHN",
		Page: "https://github.com/markus93/NN_calibration", Licence: "MIT", Format: "nncal", Into: "data/arrays",
	}
	const base = "https://github.com/markus93/NN_calibration/raw/91f056361d65b972c9defd7193fe393f3018ebd5/logits/"
	for _, f := range []File{
		{Name: "probs_densenet40_c100_logits.p", Bytes: 6120341, SHA256: "1af41c11e73417d4c9d30209863cbf025ea94057b520c45056e645ba2c27cd91"},
		{Name: "probs_densenet40_c10_logits.p", Bytes: 720341, SHA256: "4d23b6ba266f62fc3dddb702dc74b7d629f7a6615b9e304904cee93a6992c1d5"},
		{Name: "probs_lenet5_c100_logits.p", Bytes: 6120341, SHA256: "56092c244c07fc1277f0cfaa5119014f26f198e5ded2629d88afb86243a428a9"},
		{Name: "probs_lenet5_c10_logits.p", Bytes: 720341, SHA256: "02fafb7c9f39bd0a67088397fc3ebe9a8dab1c55c68c332cbdec366f1a2ea999"},
		{Name: "probs_resnet110_SD_c100_logits.p", Bytes: 6120341, SHA256: "d5180c857c34a13a9bc313e57c1e25ddbc9e94e07c198720df7b6ba9984c057e"},
		{Name: "probs_resnet110_SD_c10_logits.p", Bytes: 720341, SHA256: "fcf918831f14e717d15ea9b6734e942568eb1b3ad018f3781feb8c4d785a8d86"},
		{Name: "probs_resnet110_c100_logits.p", Bytes: 6100384, SHA256: "e71843159b034e659ed6fb77ae852dce3fd3cc3ac63d3a6c9e25a400e25f8673"},
		{Name: "probs_resnet110_c10_logits.p", Bytes: 685390, SHA256: "507807023684f463ceea252f8760ece30643b64e5da89152f9950f7e98e9ea3e"},
		{Name: "probs_resnet152_SD_SVHN_logits.p", Bytes: 1537877, SHA256: "07885c00646efcc1bc9b6f486806d8c50c3213a70f3cf7b58d658fc1b2c0ed35"},
		{Name: "probs_resnet_wide32_c100_logits.p", Bytes: 6120341, SHA256: "dfbc5525227cf89ab2f0c34d6b52f16a6f7a89bf1403b4a25078796d1ab8621c"},
		{Name: "probs_resnet_wide32_c10_logits.p", Bytes: 720341, SHA256: "1d3732dbd8480ee8dc1e5ce7e1ae9a3d47afa26e96071c286ae4e26818bd330a"},
	} {
		f.URL = base + f.Name
		s.Files = append(s.Files, f)
	}
	return s
}

// medmnist lists the predictions of MedMNIST v2 and the data sets, which have the
// labels. The MD5 sums are those of record 5208230 in medmnist/info.py of version
// 2.0.1. Later records have fewer images of the three organ sets than the
// predictions have rows. Sizes, and the digest of the predictions, are not
// published with the code.
func medmnist() Source {
	s := Source{
		Name: "medmnist", Title: "predictions of ResNet-18 and ResNet-50 on ten data sets of MedMNIST v2",
		Page: "https://zenodo.org/records/7782114", Licence: "CC BY 4.0 (DermaMNIST: CC BY-NC 4.0)", Format: "medmnist", Into: "data/arrays",
		Files: []File{{Name: "predictions.zip", URL: "https://zenodo.org/records/7782114/files/predictions.zip?download=1", Always: true}},
	}
	for _, f := range []File{
		{Name: "pathmnist.npz", MD5: "a8b06965200029087d5bd730944a56c1"},
		{Name: "bloodmnist.npz", MD5: "7053d0359d879ad8a5505303e11de1dc"},
		{Name: "breastmnist.npz", MD5: "750601b1f35ba3300ea97c75c52ff8f6"},
		{Name: "dermamnist.npz", MD5: "0744692d530f8e62ec473284d019b0c7"},
		{Name: "organamnist.npz", MD5: "866b832ed4eeba67bfb9edee1d5544e6"},
		{Name: "organcmnist.npz", MD5: "0afa5834fb105f7705a7d93372119a21"},
		{Name: "organsmnist.npz", MD5: "e5c39f1af030238290b9557d9503af9d"},
		{Name: "pneumoniamnist.npz", MD5: "28209eda62fecd6e6a2d98b1501bb15f"},
		{Name: "retinamnist.npz", MD5: "bd4c0672f1bba3e3a89f0e4e876791e4"},
		{Name: "tissuemnist.npz", MD5: "ebe78ee8b05294063de985d821c1c34b"},
	} {
		f.URL = "https://zenodo.org/records/5208230/files/" + f.Name + "?download=1"
		s.Files = append(s.Files, f)
	}
	return s
}

// calarena lists the files of CalArena. Sizes and digests are not published with
// its code.
func calarena() Source {
	s := Source{
		Name: "calarena", Title: "probabilities of the networks of the benchmark CalArena",
		Page: "https://huggingface.co/datasets/probkit/CalArena", Licence: "Apache-2.0 (its code; see the page for each data set)", Format: "calarena", Into: "data/calarena",
	}
	for _, name := range []string{"cv-multiclass", "imagenet-multiclass", "cv-binary", "tabarena-multiclass", "tabarena-binary", "tabrepo-multiclass", "tabrepo-binary"} {
		s.Files = append(s.Files, File{Name: name + ".h5", OnRequest: name != "cv-multiclass",
			URL: "https://huggingface.co/datasets/probkit/CalArena/resolve/main/" + name + ".h5"})
	}
	return s
}

// Lookup returns the source of a name or, for an address such as
// file:///mnt/probs_resnet110_c10_logits.p, a source of that one file.
func Lookup(name string) (Source, error) {
	if strings.Contains(name, "://") {
		u, err := parse(name)
		if err != nil {
			return Source{}, err
		}
		file := path.Base(u.Path)
		if err := checkName(file); err != nil {
			return Source{}, fmt.Errorf("%s: %w", name, err)
		}
		return Source{Name: "url", Title: "a file", Page: name, Into: "data/arrays", Files: []File{{Name: file, URL: name}}}, nil
	}
	var names []string
	for _, s := range Sources() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Source{}, fmt.Errorf("unknown source %q; want one of %s, or the address of a file", name, strings.Join(names, ", "))
}

// At returns the source with its files at a mirror: each at the address base/NAME.
// Sizes and digests stay.
func (s Source) At(base string) (Source, error) {
	if _, err := parse(base); err != nil {
		return Source{}, err
	}
	files := make([]File, len(s.Files))
	for i, f := range s.Files {
		f.URL = strings.TrimSuffix(base, "/") + "/" + url.PathEscape(f.Name)
		files[i] = f
	}
	s.Files = files
	return s, nil
}

// Choose returns the source with only the files whose names match one of the
// patterns (path.Match, with or without the extension), and those that are always
// needed. Without patterns it leaves out only what must be asked for.
func (s Source) Choose(patterns []string) (Source, error) {
	matches := func(pattern string, f File) bool {
		whole, _ := path.Match(pattern, f.Name)
		stem, _ := path.Match(pattern, strings.TrimSuffix(f.Name, path.Ext(f.Name)))
		return whole || stem
	}
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return Source{}, fmt.Errorf("the pattern %q: %w", p, err)
		}
		if !slices.ContainsFunc(s.Files, func(f File) bool { return matches(p, f) }) {
			var names []string
			for _, f := range s.Files {
				names = append(names, f.Name)
			}
			return Source{}, fmt.Errorf("no file of %s matches %q (it has %s)", s.Name, p, strings.Join(names, ", "))
		}
	}
	chosen := func(f File) bool {
		return len(patterns) == 0 && !f.OnRequest || slices.ContainsFunc(patterns, func(p string) bool { return matches(p, f) })
	}
	if !slices.ContainsFunc(s.Files, chosen) {
		return Source{}, fmt.Errorf("no file of %s is chosen", s.Name)
	}
	s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool { return !f.Always && !chosen(f) })
	return s, nil
}

// parse checks an address.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address", address)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file":
		return nil, fmt.Errorf("%s: want an address that begins with https://, http:// or file://", address)
	case u.Scheme == "file" && u.Host != "" && u.Host != "localhost":
		return nil, fmt.Errorf("%s: a file of another machine; write file:///PATH, with three slashes", address)
	case u.Scheme != "file" && u.Host == "":
		return nil, fmt.Errorf("%s: names no host", address)
	case u.User != nil:
		return nil, fmt.Errorf("an address with a password in it; want one without")
	}
	return u, nil
}

// checkName rejects a name that is not that of a plain file.
func checkName(name string) error {
	if name == "" || strings.ContainsAny(name, "/\\\x00\n\t") || strings.HasPrefix(name, ".") {
		return errors.New("does not end in the name of a file")
	}
	return nil
}
