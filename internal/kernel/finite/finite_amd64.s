//go:build amd64 && !purego

#include "textflag.h"

// SSE2, which every amd64 processor has, is faster than memory. Four places, a
// quarter of the numbers apart, are read in turn: from four places memory delivers
// one and a half times as much as from one.

// LOOK takes the 64 bytes at p into account, and prefetches those a page later,
// which the processor does not do by itself.
#define LOOK(p) \
	PREFETCHT0 4096(p) \
	MOVOU      (p), X4     \
	MOVOU      16(p), X5   \
	MOVOU      32(p), X6   \
	MOVOU      48(p), X7   \
	PAND       X8, X4      \
	PAND       X8, X5      \
	PAND       X8, X6      \
	PAND       X8, X7      \
	PMAXSW     X4, X0      \
	PMAXSW     X5, X1      \
	PMAXSW     X6, X2      \
	PMAXSW     X7, X3      \
	ADDQ       $64, p

// func someNonFinite(p *float32, n int) bool
TEXT ·someNonFinite(SB), NOSPLIT, $0-17
	MOVQ   p+0(FP), SI
	MOVQ   n+8(FP), CX
	MOVL   $0x7fff0000, AX
	MOVL   AX, X8
	PSHUFL $0, X8, X8
	MOVL   $0x7f7f7f7f, AX
	MOVL   AX, X9
	PSHUFL $0, X9, X9
	PXOR   X0, X0
	PXOR   X1, X1
	PXOR   X2, X2
	PXOR   X3, X3
	LEAQ   (SI)(CX*1), DI
	LEAQ   (SI)(CX*2), R8
	LEAQ   (DI)(CX*2), R9

loop:
	LOOK(SI)
	LOOK(DI)
	LOOK(R8)
	LOOK(R9)
	SUBQ     $64, CX
	JNE      loop
	PMAXSW   X1, X0
	PMAXSW   X3, X2
	PMAXSW   X2, X0
	PCMPGTW  X9, X0
	PMOVMSKB X0, AX
	TESTL    AX, AX
	SETNE    ret+16(FP)
	RET
