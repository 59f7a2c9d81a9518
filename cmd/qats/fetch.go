package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data/fetch"
	"github.com/qats-bench/qats/data/public"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
)

// downloadsDir is the folder of downloaded files, with a folder for each source.
const downloadsDir = "data/downloads"

func fetchCommand() *cobra.Command {
	var c fetching
	var sources []string
	for _, s := range fetch.Sources() {
		sources = append(sources, fmt.Sprintf("  %-9s %s\n            %s, %s", s.Name, s.Title, s.Page, s.Licence))
	}
	cmd := &cobra.Command{
		Use:   "fetch SOURCE|ADDRESS...",
		Short: "Download published predictions and import them",
		Long: `fetch downloads the files of a source, checks them, and imports them as qats
import does. Sources:

` + strings.Join(sources, "\n") + `

or the addresses of files (https://, http:// or file:///PATH) with --format.

Before anything is downloaded, fetch prints files, sizes and licence and asks;
--yes answers. Sizes and digests that a source publishes are built in and checked.
Where it publishes none, the digest of the first download is recorded in
fetched.tsv beside the files, and later downloads must have it.

A download that was interrupted continues where it stopped: run the same command
again. --url names a mirror: a place that has the same files under the same names.

fetch is for servers and files that you trust. It knows a file by the last part of its
address alone, so two addresses that end alike are taken for one file. A file without
a published digest may be put together from two versions, if the server changes it
during a download. Of two fetches to one folder at a time, one may lose the digests
that it has recorded.`,
		Example: `  qats fetch nncal
  qats fetch medmnist --only 'derma*' --yes
  qats fetch calarena --only imagenet-multiclass --to data/calarena
  qats fetch nncal --url file:///mnt/mirror/nncal
  qats fetch file:///tmp/probs_resnet110_c10_logits.p --format nncal
  qats fetch medmnist --dry-run`,
		Args: argumentsOr(1, math.MaxInt, "fetch needs a source, as in qats fetch nncal, or addresses of files"),
		RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.to, "to", "", "folder of arrays to import to (default "+arraysDir+"; data/calarena for calarena)")
	f.StringVar(&c.downloads, "downloads", downloadsDir, "folder to download to; each source has a folder in it")
	f.StringArrayVar(&c.only, "only", nil, "only files whose names match this pattern; may be repeated")
	f.StringArrayVar(&c.selected, "select", nil, "import only networks whose DATASET/MODEL in the source matches this pattern; may be repeated")
	f.StringVar(&c.mirror, "url", "", "address of a mirror that has the files of the source")
	f.StringVar(&c.format, "format", "", "format of a file given by its address; qats import --help lists them")
	f.StringVar(&c.sha256, "sha256", "", "SHA-256 of a file given by its address")
	f.BoolVar(&c.yes, "yes", false, "download without asking")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the addresses and do nothing")
	f.BoolVar(&c.noImport, "no-import", false, "download and check only")
	cmd.MarkFlagDirname("to")
	cmd.MarkFlagDirname("downloads")
	return cmd
}

// fetching holds the flags of fetch.
type fetching struct {
	to, downloads, mirror, format, sha256 string
	only, selected                        []string
	yes, dryRun, noImport                 bool
}

func (c *fetching) run(cmd *cobra.Command, names []string) error {
	src, err := c.source(names)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if c.dryRun {
		for _, f := range src.Files {
			terminal.Fprintf(w, "%s\n", f.URL)
		}
		return nil
	}
	dir := filepath.Join(c.downloads, src.Name)
	var client fetch.Client
	if err := c.ask(cmd, &client, src, dir); err != nil {
		return err
	}
	bar := download{w: cmd.ErrOrStderr()}
	client.Progress = bar.show
	list, err := client.Fetch(cmd.Context(), src.Files, dir)
	bar.finish()
	var paths []string
	for _, r := range list {
		what := "is there"
		if r.Fetched {
			what = "fetched"
		}
		if r.First {
			what += ", digest recorded"
		}
		terminal.Fprintf(w, "%s %s (sha256 %s)\n", r.Name, what, r.SHA256)
		paths = append(paths, r.Path)
	}
	if err != nil || c.noImport {
		return err
	}
	to := cmp.Or(c.to, src.Into)
	sum, err := public.Import(cmd.Context(), src.Format, paths, public.Options{Dir: to, Select: c.selected, Licence: src.Licence, URL: strings.ReplaceAll(src.Page, "\n", " ")})
	if err != nil {
		return err
	}
	printImport(w, sum, to)
	return nil
}

// source returns the files to fetch.
func (c *fetching) source(names []string) (fetch.Source, error) {
	src, err := fetch.Lookup(names[0])
	if err != nil {
		return src, err
	}
	if src.Format == "" {
		return c.addresses(names)
	}
	switch {
	case len(names) > 1:
		return src, fmt.Errorf("give one source (%s), or addresses of files", names[0])
	case c.format != "" || c.sha256 != "":
		return src, fmt.Errorf("--format and --sha256 are for files given by their addresses; those of %s are known", names[0])
	}
	if src, err = src.Choose(c.only); err == nil && c.mirror != "" {
		src, err = src.At(c.mirror)
	}
	return src, err
}

// addresses returns a source of the files at addresses.
func (c *fetching) addresses(names []string) (fetch.Source, error) {
	all := fetch.Source{Name: "url", Title: "files by their addresses", Page: strings.Join(names, "\n"), Into: arraysDir, Format: c.format}
	for _, name := range names {
		src, err := fetch.Lookup(name)
		if err != nil {
			return src, err
		}
		if src.Format != "" {
			return src, fmt.Errorf("give addresses of files, or one source (%s)", name)
		}
		all.Files = append(all.Files, src.Files...)
	}
	switch {
	case c.mirror != "":
		return all, errors.New("--url is for a source with a name; the address of a file needs none")
	case len(c.only) > 0:
		return all, errors.New("--only is for a source with a name")
	case c.sha256 != "" && len(names) > 1:
		return all, errors.New("--sha256 is for one file")
	case c.format == "" && !c.noImport && !c.dryRun:
		return all, errors.New("say what the files are by --format (qats import --help lists the formats), or give --no-import")
	}
	all.Files[0].SHA256 = strings.ToLower(c.sha256)
	if c.format != "" {
		f, err := public.Lookup(c.format)
		if err != nil {
			return all, err
		}
		all.Licence = f.Licence
	}
	return all, nil
}

// ask prints what would be downloaded and asks for consent.
func (c *fetching) ask(cmd *cobra.Command, client *fetch.Client, src fetch.Source, dir string) error {
	w := cmd.OutOrStdout()
	missing, total, unknown := 0, int64(0), false
	terminal.Fprintf(w, "%s: %s\n", src.Name, src.Title)
	for page := range strings.Lines(src.Page) { // the addresses of files are several
		terminal.Fprintf(w, "%s\n", strings.TrimSuffix(page, "\n"))
	}
	terminal.Fprintf(w, "licence: %s\n", cmp.Or(src.Licence, "not known; see the source"))
	for _, f := range src.Files {
		if _, err := os.Stat(filepath.Join(dir, f.Name)); err == nil {
			terminal.Fprintf(w, "  %-34s is there\n", f.Name)
			continue
		}
		missing++
		n, err := client.Size(cmd.Context(), f)
		if err != nil && cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		if err != nil {
			return err
		}
		if n == 0 {
			unknown = true
			terminal.Fprintf(w, "  %-34s size not known\n", f.Name)
			continue
		}
		total += n
		terminal.Fprintf(w, "  %-34s %s\n", f.Name, megabytes(n))
	}
	if missing == 0 || c.yes {
		return nil
	}
	about := megabytes(total)
	if unknown {
		about += " or more"
	}
	terminal.Fprintf(w, "Download %s, %s, to %s? [y/N] ", english.Count(missing, "file"), about, dir)
	line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	if line == "" {
		fmt.Fprintln(w)
	}
	return errors.New("nothing was downloaded; answer y, or give --yes")
}

// megabytes prints a length in MB of 10^6 bytes, or in kB.
func megabytes(n int64) string {
	if n < 1e5 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// download is a bar of bytes on a terminal. Elsewhere it prints nothing.
type download struct {
	w    io.Writer
	bar  *progressbar.ProgressBar
	name string
}

func (d *download) show(f fetch.File, done, total int64) {
	if !isTerminal(d.w) {
		return
	}
	if d.name != f.Name {
		d.finish()
		if total == 0 {
			total = -1 // a spinner
		}
		d.name = f.Name
		d.bar = newBar(d.w, total, progressbar.OptionShowBytes(true))
		d.bar.Describe(described(f.Name))
	}
	d.bar.Set64(done)
}

func (d *download) finish() {
	if d.bar != nil {
		d.bar.Finish()
	}
}
