//go:build amd64 && !purego

#include "textflag.h"

// func sumsAVX2(sums *[Lanes]int64, drawn *Times, place *uint16, weight *int64, n int)
//
// A product of eight bits with 64 is that with the lower half of the weight, and that with the
// upper half, which is shifted once at the end.
TEXT ·sumsAVX2(SB), NOSPLIT, $0-40
	MOVQ  sums+0(FP), DI
	MOVQ  drawn+8(FP), SI
	MOVQ  place+16(FP), BX
	MOVQ  weight+24(FP), CX
	MOVQ  n+32(FP), DX
	VPXOR Y0, Y0, Y0            // lower halves, lanes 0 to 3
	VPXOR Y1, Y1, Y1            // and 4 to 7
	VPXOR Y2, Y2, Y2            // upper halves
	VPXOR Y3, Y3, Y3
	XORQ  R8, R8

next:
	MOVWLZX      (BX)(R8*2), AX
	VPMOVZXBQ    (SI)(AX*8), Y4
	VPMOVZXBQ    4(SI)(AX*8), Y5
	VPBROADCASTQ (CX)(R8*8), Y6
	VPSRLQ       $32, Y6, Y7
	VPMULUDQ     Y4, Y6, Y8
	VPMULUDQ     Y5, Y6, Y9
	VPMULUDQ     Y4, Y7, Y10
	VPMULUDQ     Y5, Y7, Y11
	VPADDQ       Y8, Y0, Y0
	VPADDQ       Y9, Y1, Y1
	VPADDQ       Y10, Y2, Y2
	VPADDQ       Y11, Y3, Y3
	INCQ         R8
	CMPQ         R8, DX
	JNE          next
	VPSLLQ       $32, Y2, Y2
	VPSLLQ       $32, Y3, Y3
	VPADDQ       Y2, Y0, Y0
	VPADDQ       Y3, Y1, Y1
	VMOVDQU      Y0, (DI)
	VMOVDQU      Y1, 32(DI)
	VZEROUPPER
	RET
