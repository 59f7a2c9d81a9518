package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper/claims"
)

// companionFolder is the folder in OUT with the results of the companion, where make
// reproduce writes them.
const companionFolder = "companion"

// printVerdicts prints the answer of reproduce in five lines: the paper's claims judged on
// its printed numbers, on its own networks and on similar ones, and what to open first.
func printVerdicts(w io.Writer, c *claims.Comparison, out string) error {
	similar, elsewhere := similarVerdicts(out)
	files := filepath.Join(out, diffFile)
	if at := filepath.Join(out, companionFolder, diffFile); isFile(at) {
		files += " and " + at
	}
	for _, line := range [][2]string{
		{fmt.Sprintf("The paper's %d claims", len(c.Claims)), "one by one: " + files},
		{"  on its printed numbers", verdictText(c.Claims, func(j claims.Judged) claims.Judgement { return j.Published })},
		{"  on its own networks", ownVerdicts(c)},
		{"  on similar networks", verdictsOn(similar, elsewhere)},
		{"open first", filepath.ToSlash(filepath.Join(out, "index.html"))},
	} {
		if _, err := terminal.Fprintf(w, "%-25s %s\n", line[0], line[1]); err != nil {
			return err
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// verdictText counts one judgement of each claim.
func verdictText(list []claims.Judged, of func(claims.Judged) claims.Judgement) string {
	n := claims.Count(list, of)
	hold, do := "hold", "do"
	if n[claims.Holds] == 1 {
		hold = "holds"
	}
	if n[claims.Fails] == 1 {
		do = "does"
	}
	text := fmt.Sprintf("%d %s, %d %s not", n[claims.Holds], hold, n[claims.Fails], do)
	if n[claims.Unjudged] > 0 {
		text += fmt.Sprintf(", %d cannot be judged", n[claims.Unjudged])
	}
	return text
}

func onMeasured(j claims.Judged) claims.Judgement { return j.Measured }

// ownVerdicts is about the networks of the paper, whose arrays most users do not have.
func ownVerdicts(c *claims.Comparison) string {
	if n := c.Measured(); n > 0 {
		return verdictText(c.Claims, onMeasured) + fmt.Sprintf(": %s of the paper measured here", english.Count(n, "number"))
	}
	return "none judged: their arrays are not here (data/arrays or --data)"
}

// verdictsOn is about the networks of the companion, or says why there are none.
func verdictsOn(s *claims.Similar, why string) string {
	if s == nil {
		return why
	}
	return verdictText(s.Claims, onMeasured) + fmt.Sprintf(": %s, measured", english.Count(s.Networks, "network"))
}

// similarVerdicts judges the claims on the results of the companion in OUT. Without them
// it says why.
func similarVerdicts(out string) (similar *claims.Similar, why string) {
	dir := filepath.Join(out, companionFolder)
	if !isFile(results.Folder(dir).Path(results.ResultsFile)) {
		return nil, "not run: " + called.Command() + " run companion --out " + quote(dir)
	}
	rows, err := results.Folder(dir).Read()
	if err != nil {
		return nil, "not judged: " + err.Error()
	}
	like := claims.LikeOf(rows.Run)
	if len(like) == 0 {
		return nil, fmt.Sprintf("none judged: no spec of %s declares similar data sets (like:)", dir)
	}
	if similar, err = claims.JudgeSimilar(rows, like); err != nil {
		return nil, "not judged: " + strings.TrimSpace(err.Error())
	}
	return similar, ""
}
