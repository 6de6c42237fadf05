// SPDX-License-Identifier: MIT
// Packs of facets: four lanes of AVX2.
#include "kernels/core/doubles_avx2.h"
#include "kernels/cpu/facet_pack.h"
#include "kernels/cpu/patch_pack.h"

namespace helioray::kernels {

FacetPackFunctions facet_pack_avx2() {
    return {kPackLanes<avx2::Doubles>,
            integrate_pack<avx2::Doubles>,
            sample_pack<avx2::Doubles>,
            fit_pack<avx2::Doubles>};
}

}  // namespace helioray::kernels
