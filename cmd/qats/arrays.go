package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
)

// arraysCommand returns the hidden command by which the Python package reads tables: one line of JSON says what was taken,
// and a .safetensors follows it.
func arraysCommand() *cobra.Command {
	var columns readingFlags
	var m memory
	cmd := &cobra.Command{Use: "arrays FILE [FILE]", Hidden: true, Args: cobra.RangeArgs(1, 2), RunE: func(cmd *cobra.Command, args []string) error {
		columns.reading.Classes = columns.classes
		b, told, err := data.ReadTables(args, m.bytes/4, columns.reading)
		if err != nil {
			return err
		}
		line, err := json.Marshal(map[string][]string{"told": told})
		if err != nil {
			return err
		}
		w, err := binaryOutput(cmd, stdoutName)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	}}
	m.flag(cmd)
	columns.flags(cmd)
	kindFlag(cmd, &columns.reading.Kind)
	f := cmd.Flags()
	f.StringVar(&columns.reading.Cal, "cal", "", "`VALUE` of the rows that calibrate")
	f.StringVar(&columns.reading.Test, "test", "", "`VALUE` of the rows that test")
	f.StringSliceVar(&columns.reading.Ignore, "ignore", nil, "`LABELS` that are names, of rows without a class")
	return cmd
}
