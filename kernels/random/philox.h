// SPDX-License-Identifier: MIT
// Counter-based random numbers: Philox 4x32 (Salmon et al., "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011).
#pragma once

#include "kernels/core/scalar.h"

namespace helioray::kernels {

/// Seven rounds pass all of BigCrush in the authors' tests.
inline constexpr int kPhiloxRounds = 7;

/// Four 32-bit words per lane.
template <typename Real>
struct PhiloxWords {
    typename LaneTraits<Real>::Uint word[4];
};

/// One block of Philox 4x32: a function of counter and key alone. Real chooses the lanes.
template <typename Real, int kRounds = kPhiloxRounds>
HELIORAY_HD PhiloxWords<Real> philox(PhiloxWords<Real> counter, uint32_t key0, uint32_t key1) {
    using Uint = typename LaneTraits<Real>::Uint;
    for (int round = 0; round < kRounds; ++round) {
        Uint high0, low0, high1, low1;
        multiply_wide(counter.word[0], 0xD2511F53u, high0, low0);
        multiply_wide(counter.word[2], 0xCD9E8D57u, high1, low1);
        counter = {{high1 ^ counter.word[1] ^ make_uint(key0, Real()),
                    low1,
                    high0 ^ counter.word[3] ^ make_uint(key1, Real()),
                    low0}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

}  // namespace helioray::kernels
