// SPDX-License-Identifier: MIT
// The only file that depends on the compiler.
#pragma once

#if defined(__CUDACC__)
#define HELIORAY_HD __host__ __device__ __forceinline__
#define HELIORAY_OUT_OF_LINE HELIORAY_HD
#define HELIORAY_CALL __host__ __device__ __noinline__
#else
// Always inlined: otherwise the linker could choose the copy of an inline function that was
// compiled for a newer instruction set.
#define HELIORAY_HD inline __attribute__((always_inline))
// Never copied into callers, with internal linkage for the same reason.
#define HELIORAY_OUT_OF_LINE static __attribute__((noinline))
// On CUDA devices, too, so that rays keep their registers while this code uses its own.
#define HELIORAY_CALL HELIORAY_OUT_OF_LINE
#endif

namespace helioray::kernels {

/// Calls a function that runs once per mirror point or less often, or that takes much longer than
/// a call. Copies of such code in every loop over rays took half of the time in which the sources
/// of the loops compile.
template <typename Function>
HELIORAY_OUT_OF_LINE auto out_of_line(const Function& function) {
    return function();
}

}  // namespace helioray::kernels
