// SPDX-License-Identifier: MIT
// How many rays a block traces at once.
#pragma once

#include "kernels/core/lane_pair.h"

namespace helioray::kernels {

#if defined(HELIORAY_SINGLE_VECTORS)
// With sanitizers, whose instrumentation of pairs takes a compiler minutes. The sums are the same.
template <typename Lanes>
using RayLanes = Lanes;
#else
template <typename Lanes>
using RayLanes = LanePair<Lanes>;
#endif

/// One vector of what a block traces at once.
template <typename Real>
struct SingleLanes {
    using Type = Real;
};
template <typename Lanes>
struct SingleLanes<LanePair<Lanes>> {
    using Type = Lanes;
};

}  // namespace helioray::kernels
