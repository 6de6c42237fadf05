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

}  // namespace helioray::kernels
