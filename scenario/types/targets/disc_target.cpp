// SPDX-License-Identifier: MIT
// Describes discs.
#include "scenario/types/targets/disc_target.h"

#include <fmt/format.h>

namespace helioray {

TargetWords describe_shape(const DiscTarget& disc) {
    return {"disc", fmt::format("radius {:.3f}", disc.radius)};
}

}  // namespace helioray
