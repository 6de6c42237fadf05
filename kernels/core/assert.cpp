// SPDX-License-Identifier: MIT
// Handles a failed assertion of the kernels on the host. Not inline: translation units for newer
// processors must only define their own functions.
#include "kernels/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace helioray::kernels {

void assertion_failed(const char* file, int line, const char* text) {
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, text);
    std::abort();
}

}  // namespace helioray::kernels
