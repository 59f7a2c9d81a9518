//go:build amd64 && !purego

#include "textflag.h"

// Each loop looks at 64 bytes: the exponent bits are kept, compared with all
// ones, and the outcomes gathered in four registers. SSE2, which every amd64
// processor has, does it faster than memory delivers.

// func special32(p *byte, n int) bool
TEXT ·special32(SB), NOSPLIT, $0-17
	MOVQ   p+0(FP), SI
	MOVQ   n+8(FP), CX
	MOVL   $0x7f800000, AX
	MOVQ   AX, X8
	PSHUFL $0, X8, X8
	PXOR   X0, X0
	PXOR   X1, X1
	PXOR   X2, X2
	PXOR   X3, X3

loop32:
	PREFETCHT0 4096(SI) // beyond this page, which the processor does not do by itself
	MOVOU   (SI), X4
	MOVOU   16(SI), X5
	MOVOU   32(SI), X6
	MOVOU   48(SI), X7
	PAND    X8, X4
	PAND    X8, X5
	PAND    X8, X6
	PAND    X8, X7
	PCMPEQL X8, X4
	PCMPEQL X8, X5
	PCMPEQL X8, X6
	PCMPEQL X8, X7
	POR     X4, X0
	POR     X5, X1
	POR     X6, X2
	POR     X7, X3
	ADDQ    $64, SI
	SUBQ    $64, CX
	JNE     loop32
	POR     X1, X0
	POR     X3, X2
	POR     X2, X0
	PMOVMSKB X0, AX
	TESTL   AX, AX
	SETNE   ret+16(FP)
	RET

// func special16(p *byte, n int) bool
TEXT ·special16(SB), NOSPLIT, $0-17
	MOVQ   p+0(FP), SI
	MOVQ   n+8(FP), CX
	MOVL   $0x7c007c00, AX
	MOVQ   AX, X8
	PSHUFL $0, X8, X8
	PXOR   X0, X0
	PXOR   X1, X1
	PXOR   X2, X2
	PXOR   X3, X3

loop16:
	PREFETCHT0 4096(SI)
	MOVOU   (SI), X4
	MOVOU   16(SI), X5
	MOVOU   32(SI), X6
	MOVOU   48(SI), X7
	PAND    X8, X4
	PAND    X8, X5
	PAND    X8, X6
	PAND    X8, X7
	PCMPEQW X8, X4
	PCMPEQW X8, X5
	PCMPEQW X8, X6
	PCMPEQW X8, X7
	POR     X4, X0
	POR     X5, X1
	POR     X6, X2
	POR     X7, X3
	ADDQ    $64, SI
	SUBQ    $64, CX
	JNE     loop16
	POR     X1, X0
	POR     X3, X2
	POR     X2, X0
	PMOVMSKB X0, AX
	TESTL   AX, AX
	SETNE   ret+16(FP)
	RET
