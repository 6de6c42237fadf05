// SPDX-License-Identifier: MIT
// Reads sections tracing, artist and bitmap.
#include "scenario/config/bound_key.h"

namespace helioray {

void read_tracing(const Section& root, RunConfig& config) {
    const Section tracing = root.section("tracing");
    read_members(tracing, config.tracing);
    if (tracing.has("relative_error_of") && !config.tracing.relative_error) {
        tracing.fail("relative_error_of",
                     "is set without tracing.relative_error",
                     "it chooses the number that this share is about",
                     "give tracing.relative_error too, or leave both out");
    }
    read_members(root.section("artist"), config.artist);
    read_members(root.section("bitmap"), config.bitmap);
}

}  // namespace helioray
