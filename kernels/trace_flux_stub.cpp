// SPDX-License-Identifier: MIT
// The CUDA entries of builds without CUDA.
#include "kernels/trace_flux.h"
#include "kernels/trace_flux_backward.h"

#include <stdexcept>

namespace helioray::kernels {

bool built_with_cuda() {
    return false;
}

void trace_flux_cuda(const FieldView&, const WorkUnit*, int64_t, const SumsView&, void*) {
    throw std::runtime_error("built without CUDA");
}

void trace_flux_backward_cuda(const FieldView&,
                              const WorkUnit*,
                              int64_t,
                              const float*,
                              const GradientScale&,
                              const GradientSums&,
                              void*) {
    throw std::runtime_error("built without CUDA");
}

}  // namespace helioray::kernels
