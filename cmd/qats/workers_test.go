package main

import "testing"

// TestWorkersFollowSlurm: the default of --workers is what Slurm gives to the task,
// else the number of processors that Go uses.
func TestWorkersFollowSlurm(t *testing.T) {
	for slurm, want := range map[string]int{"": 8, "6": 6, "12": 12, "0": 8, "-1": 8, "many": 8} {
		getenv := func(name string) string { return map[string]string{"SLURM_CPUS_PER_TASK": slurm}[name] }
		if got := defaultWorkers(getenv, 8); got != want {
			t.Errorf("SLURM_CPUS_PER_TASK=%q: %d workers, want %d", slurm, got, want)
		}
	}
}
