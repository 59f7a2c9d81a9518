package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Run is run.json: what was run to make the CSV files of a folder. It has no date, no host
// and no folder, so that the same run writes the same bytes.
type Run struct {
	Format  int    `json:"qats_run"` // version of this format, now 3
	Version string `json:"version"`  // of the program; "(devel)" if it is not known
	Commit  string `json:"commit,omitempty"`
	Command string `json:"command,omitempty"` // with OUT and DIR in place of folders

	// DataGiven says that --data named the first source of the specs.
	DataGiven bool `json:"data_given,omitempty"`

	// FirstRows is the number of rows of each set that were used; 0 for all.
	FirstRows int `json:"first_rows,omitempty"`

	Keys   string    `json:"keys"`          // KeysDigest of the records
	Rows   RunRows   `json:"rows,omitzero"` // zero in files of earlier versions
	Counts RunCounts `json:"counts"`
	Specs  []RunSpec `json:"specs"`
}

// RunRows counts the rows of the CSV files of a run, without their headers.
type RunRows struct {
	Settings int `json:"settings"`
	Methods  int `json:"methods"`
	Results  int `json:"results"`
	Bins     int `json:"bins"`
	Pairs    int `json:"pairs"`
	Classes  int `json:"classes,omitempty"` // of specs with per_class
}

// RunCounts counts the settings and the cells of a run.
type RunCounts struct {
	Settings  int `json:"settings"`
	Measured  int `json:"measured"`
	Simulated int `json:"simulated"`
	Absent    int `json:"absent"` // settings without arrays
	Cells     int `json:"cells"`
	Skipped   int `json:"skipped"`
	Failed    int `json:"failed"`
}

// RunSpec is a spec of a run.
type RunSpec struct {
	Name     string            `json:"name"` // column experiment of the CSV files
	File     string            `json:"file"` // without its folder
	Title    string            `json:"title,omitempty"`
	SHA256   string            `json:"sha256"` // of the text
	Text     string            `json:"text"`
	Baseline string            `json:"baseline,omitempty"`
	Like     map[string]string `json:"like,omitempty"` // data set -> similar one of the paper
	Data     []string          `json:"data"`           // sources in order
	Layout   string            `json:"layout,omitempty"`
	Metrics  []string          `json:"metrics"`

	// Chosen is the method that qats try chose on the calibration rows, by the metric ChosenBy
	// in cross-fitting. Both are empty in other folders.
	Chosen   string `json:"chosen,omitempty"`
	ChosenBy string `json:"chosen_by,omitempty"`
}

// runFormat is the value under "qats_run": raised when the form changes.
const runFormat = 3 // 3: settings.csv and methods.csv have what is known of settings and methods

// KeysDigest returns the SHA-256 of the keys of records, in their order, each
// with a line feed after it. Equal digests mean equal numbers.
func KeysDigest(records []Record) string {
	d := newKeysDigest()
	d.add(records...)
	return d.text()
}

// keysDigest is a KeysDigest of records that come one after the other.
type keysDigest struct{ hash.Hash }

func newKeysDigest() keysDigest { return keysDigest{sha256.New()} }

func (d keysDigest) add(records ...Record) {
	for _, r := range records {
		io.WriteString(d, r.Key+"\n")
	}
}

func (d keysDigest) text() string { return hex.EncodeToString(d.Sum(nil)) }

func (r Run) write(w io.Writer) error {
	r.Format = runFormat
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// readRun reads a run.json.
func readRun(path string) (*Run, error) {
	text, err := inputfile.Read(path)
	if err != nil {
		return nil, err
	}
	return decodeRun(text, path)
}

// decodeRun reads the text of a run.json, which errors call name.
func decodeRun(text []byte, name string) (*Run, error) {
	var r Run
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Format != runFormat {
		return nil, fmt.Errorf("%s: \"qats_run\" is %d, want format %d; an earlier version of qats wrote it: "+called.Command()+" run SPEC --out OUT writes the folder again, from the store without a fit", name, r.Format, runFormat)
	}
	return &r, nil
}

// check compares rows that were read from the CSV files with run.json: the number of rows of
// each file, and the digest of the keys of the records. A file that does not exist has no
// rows. Without a run.json there is nothing to compare with, and no error: the CSV files alone
// are enough.
//
// Values are not compared, so a script may change them. It may add or remove rows if
// it removes run.json too.
func (f Folder) check(r *Run, keys string, rows RunRows) error {
	if r == nil {
		return nil
	}
	path := f.Path(RunFile)
	const remedy = "run again, or remove run.json if you changed the rows yourself"
	for _, file := range []struct {
		name       string
		rows, want int
	}{
		{SettingsFile, rows.Settings, r.Rows.Settings},
		{MethodsFile, rows.Methods, r.Rows.Methods},
		{ResultsFile, rows.Results, r.Rows.Results},
		{BinsFile, rows.Bins, r.Rows.Bins},
		{PairsFile, rows.Pairs, r.Rows.Pairs},
		{ClassesFile, rows.Classes, r.Rows.Classes},
	} {
		if _, err := os.Stat(f.Path(file.name)); file.rows == 0 && file.want > 0 && (file.name == SettingsFile || file.name == MethodsFile) && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no %s in %s, and the run that %s describes wrote it; "+called.Command()+" run SPEC --out %s writes it again, from the store without a fit", file.name, f, path, f)
		}
		if r.Rows != (RunRows{}) && file.rows != file.want {
			return fmt.Errorf("%s: %d rows, but the run that %s describes wrote %d; %s", f.Path(file.name), file.rows, path, file.want, remedy)
		}
	}
	if keys != r.Keys {
		return fmt.Errorf("%s: does not belong to the run that %s describes: the keys differ; %s", f.Path(ResultsFile), path, remedy)
	}
	return nil
}
