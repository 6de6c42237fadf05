// SPDX-License-Identifier: MIT
// Packs of facets: eight lanes of AVX-512.
#include "kernels/core/doubles_avx512.h"
#include "kernels/cpu/facet_pack.h"
#include "kernels/cpu/patch_pack.h"

namespace helioray::kernels {

FacetPackFunctions facet_pack_avx512() {
    return {kPackLanes<avx512::Doubles>,
            integrate_pack<avx512::Doubles>,
            sample_pack<avx512::Doubles>,
            fit_pack<avx512::Doubles>};
}

}  // namespace helioray::kernels
