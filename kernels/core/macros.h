// SPDX-License-Identifier: MIT
// The only file that depends on the compiler.
#pragma once

#if defined(__CUDACC__)
#define HELIORAY_HD __host__ __device__ __forceinline__
#else
// Always inlined: otherwise the linker could choose the copy of an inline function that was
// compiled for a newer instruction set.
#define HELIORAY_HD inline __attribute__((always_inline))
#endif
