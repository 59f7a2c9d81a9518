//go:build amd64 && !purego

package cpu

import "golang.org/x/sys/cpu"

// Available returns the instructions of this processor, the fastest first. AVX2
// includes FMA, BMI and POPCNT, which came with it; AVX512 means its part F.
func Available() []Instructions {
	var on []Instructions
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT {
		if cpu.X86.HasAVX512F {
			on = append(on, AVX512)
		}
		on = append(on, AVX2)
	}
	return append(on, Portable)
}
