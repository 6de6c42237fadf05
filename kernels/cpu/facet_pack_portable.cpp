// SPDX-License-Identifier: MIT
// Packs of facets: one at a time, for processors without AVX2 and as reference.
#include "kernels/cpu/facet_pack.h"
#include "kernels/cpu/patch_pack.h"

namespace helioray::kernels {

FacetPackFunctions facet_pack_portable() {
    return {kPackLanes<double>, integrate_pack<double>, sample_pack<double>, fit_pack<double>};
}

}  // namespace helioray::kernels
