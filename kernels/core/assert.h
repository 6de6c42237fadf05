// SPDX-License-Identifier: MIT
// Assertions of the kernels on host and device: enabled in Debug and sanitizer builds, absent from
// other builds.
#pragma once

#if defined(HELIORAY_ASSERTIONS) && defined(__CUDA_ARCH__)
#include <cstdio>
#endif

namespace helioray::kernels {

/// True if this build checks assertions; for checks that need a loop.
#if defined(HELIORAY_ASSERTIONS)
inline constexpr bool kAssertions = true;
#else
inline constexpr bool kAssertions = false;
#endif

/// Prints "FILE:LINE: assertion failed: TEXT" to stderr and aborts the process.
[[noreturn]] void assertion_failed(const char* file, int line, const char* text);

}  // namespace helioray::kernels

/// HELIORAY_ASSERT(condition, "what must hold") ends the process with place and text if the
/// condition does not hold (on a device it ends the kernel, whose launch then reports an error). If
/// assertions are disabled, the condition is compiled but never evaluated.
#if !defined(HELIORAY_ASSERTIONS)
#define HELIORAY_ASSERT(condition, text) static_cast<void>(sizeof((condition) ? 1 : 0))
#elif defined(__CUDA_ARCH__)
#define HELIORAY_ASSERT(condition, text)                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: assertion failed: %s\n", __FILE__, __LINE__, text); \
            __trap();                                                          \
        }                                                                      \
    } while (false)
#else
#define HELIORAY_ASSERT(condition, text) \
    ((condition) ? static_cast<void>(0)  \
                 : ::helioray::kernels::assertion_failed(__FILE__, __LINE__, text))
#endif
