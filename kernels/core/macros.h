// SPDX-License-Identifier: MIT
// The only file that asks which compiler this is.
#pragma once

#if defined(__CUDACC__)
#define HELIORAY_HD __host__ __device__ __forceinline__
#else
// Always inlined: an inline function compiled for a newer instruction set must never be the copy
// that the linker keeps for everybody.
#define HELIORAY_HD inline __attribute__((always_inline))
#endif
