package leaderboard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Folder is the folder with the numbers of the registry.
type Folder string

// path returns the path of the file of a method.
func (f Folder) path(method string) string { return filepath.Join(string(f), method+".csv") }

// settings returns the path of the settings.
func (f Folder) settings() string { return filepath.Join(string(f), results.SettingsFile) }

// Write writes the file of each method that has records, and the settings. all says that the methods are all there are, so that
// files of others go. Columns are as in [results.WriteEntry].
func (f Folder) Write(metrics []string, records []results.Record, settings []results.SettingInfo, all bool) error {
	if err := os.MkdirAll(string(f), 0o777); err != nil {
		return err
	}
	methods, of := lists.Group(records, func(r results.Record) string { return r.Method })
	for _, m := range methods {
		if err := results.WriteEntry(f.path(m), metrics, of[m]); err != nil {
			return err
		}
	}
	if _, err := os.Stat(f.settings()); !all && err == nil {
		return nil
	}
	if err := results.WriteSettings(f.settings(), settings); err != nil {
		return err
	}
	if !all {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(string(f), "*.csv"))
	if err != nil {
		return err
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		if filepath.Base(file) == results.SettingsFile || slices.Contains(methods, name) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// ReadSettings reads the settings.
func (f Folder) ReadSettings() ([]results.SettingInfo, error) {
	return results.ReadSettings(f.settings())
}

// Read reads the file of a method. ok is false if there is none.
func (f Folder) Read(method string, metrics []string) (records []results.Record, ok bool, err error) {
	records, err = results.ReadEntry(f.path(method), metrics)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return records, err == nil, err
}
