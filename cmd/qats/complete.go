package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/spf13/cobra"
)

// completion is a function that completes an argument or the value of a flag.
type completion = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// oneOf completes one of some words, which only a completion asks for.
func oneOf(words func() []string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	}
}

// oneArgument completes a command that takes one of some words.
func oneArgument(words func() []string) completion {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return oneOf(words)(cmd, args, typed)
	}
}

// describedMethods returns the registered methods, each with its summary.
func describedMethods() []string {
	return lists.Values(all.Registry(), func(e calib.Entry) string { return e.Name + "\t" + e.Summary })
}

// describedMethodsAndGroups returns the groups of methods and the registered methods, each
// with its summary.
func describedMethodsAndGroups() []string {
	return slices.Concat(describedGroups(experiments.Registry().MethodGroups), describedMethods())
}

// describedGroups returns groups, each with its summary.
func describedGroups(groups []spec.Group) []string {
	return lists.Values(groups, func(g spec.Group) string { return g.Name + "\t" + g.Summary })
}

// completeDoc completes a topic, a name or a group, and after a topic one of its list.
func completeDoc(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, t := range topics() {
		if name, holds := t.title(); len(args) == 0 {
			words = append(words, name+"\t"+holds)
		}
	}
	for _, command := range manuals() {
		if group, name, below := strings.Cut(command, " "); len(args) == 0 && !below {
			words = append(words, command)
		} else if below && len(args) == 1 && args[0] == group {
			words = append(words, name)
		}
	}
	for _, c := range catalogues() {
		if name, _ := c.title(); len(args) == 0 || len(args) == 1 && args[0] == name {
			words = append(words, c.described()...)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeTried completes the networks that the program carries, and else files.
func completeTried(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 || !look.IsCarried(typed) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return append([]string{look.Demo}, look.Networks()...), cobra.ShellCompDirectiveNoFileComp
}

// completeOption completes -p of qats fit with the options of its method.
func completeOption(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var list []string
	if len(args) > 0 {
		if e, ok := all.Lookup(args[0]); ok {
			for _, o := range e.Options() {
				list = append(list, o.Name+"=\t"+o.Help+": "+o.Range)
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeSpecs completes names of specs of the project, and files.
func completeSpecs(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	list := experiments.BuiltinSpecs()
	files, _ := filepath.Glob(typed + "*") // a bad pattern matches nothing
	for _, file := range files {
		switch info, err := os.Stat(file); {
		case err != nil:
		case info.IsDir():
			list = append(list, file+string(filepath.Separator))
		case strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml"):
			list = append(list, file)
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// specsOf are the specs given by --spec that can be read.
func specsOf(cmd *cobra.Command) []*spec.Spec {
	names, _ := cmd.Flags().GetStringArray("spec")
	slices.Sort(names) // completion parses the flags twice
	specs, _ := experiments.ReadSpecs(slices.Compact(names))
	return specs
}

// comparableMethods returns the methods of specs and the registered ones, sorted.
func comparableMethods(specs []*spec.Spec) []string {
	var list []string
	for _, s := range specs {
		list = append(list, s.MethodNames()...)
	}
	for _, e := range all.Registry() {
		list = append(list, e.Name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// completeCompared completes a method of the specs given by --spec, or a registered one,
// that is not an argument yet.
func completeCompared(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return slices.DeleteFunc(comparableMethods(specsOf(cmd)), func(m string) bool { return slices.Contains(args, m) }), cobra.ShellCompDirectiveNoFileComp
}

// completeOnly completes a key of --only, and after it the values of the settings of the specs given by --spec or,
// without them, of the results.csv in OUT.
func completeOnly(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	key, _, given := strings.Cut(typed, "=")
	if !given {
		keys := lists.Values(onlyKeys(), func(key string) string { return key + "=" })
		return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	valueOf := ofSetting[key]
	if valueOf == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	specs := specsOf(cmd)
	settings := spec.SettingsOf(specs)
	if len(specs) == 0 {
		out, _ := cmd.Flags().GetString("out")
		records, _ := results.ReadResults(results.Folder(out).Path(results.ResultsFile))
		settings = lists.Values(records, func(r results.Record) results.Setting { return r.Setting })
	}
	list := lists.Distinct(lists.Values(settings, func(s results.Setting) string { return key + "=" + valueOf(s) }), func(text string) string { return text })
	slices.Sort(list)
	return list, cobra.ShellCompDirectiveNoFileComp
}
