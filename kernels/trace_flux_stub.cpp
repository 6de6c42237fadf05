// SPDX-License-Identifier: MIT
// The CUDA entry of builds without CUDA.
#include "kernels/trace_flux.h"

#include <stdexcept>

namespace helioray::kernels {

bool built_with_cuda() {
    return false;
}

void trace_flux_cuda(const FieldView&, const WorkUnit*, int64_t, const SumsView&, void*) {
    throw std::runtime_error("built without CUDA");
}

}  // namespace helioray::kernels
