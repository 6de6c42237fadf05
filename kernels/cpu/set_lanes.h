// SPDX-License-Identifier: MIT
// Number types of the instruction set for which a source is compiled: Rays (the lanes that a block
// traces at once), Longs and Doubles in the namespace HELIORAY_SET, which the build defines as
// portable, avx2 or avx512.
#pragma once

#include "kernels/core/lane_pair.h"
#if defined(HELIORAY_WITH_AVX512)
#include "kernels/core/lanes_avx512.h"
#elif defined(HELIORAY_WITH_AVX2)
#include "kernels/core/lanes_avx2.h"
#endif

namespace helioray::kernels::HELIORAY_SET {

#if defined(HELIORAY_WITH_AVX512) || defined(HELIORAY_WITH_AVX2)
using Rays = RayLanes<Lanes>;
#else
using Rays = float;
using Longs = int64_t;
using Doubles = double;
#endif

}  // namespace helioray::kernels::HELIORAY_SET
