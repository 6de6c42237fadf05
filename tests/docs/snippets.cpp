// SPDX-License-Identifier: MIT
// C++ that documents show and no tutorial has; tests/docs/test_snippets.py compares the lines.
#include "distributed/differentiable/fft.h"
#include "distributed/ranks/environment.h"
#include "distributed/ranks/groups.h"
#include "distributed/tensors/collectives.h"

#include <ATen/core/Tensor.h>

namespace helioray::docs {

/// distributed/README.md.
at::Tensor divided_spectrum(at::Tensor sums, const at::Tensor& image) {
    helioray::DistributedOptions options;
    options.launch = helioray::detect_launcher(helioray::EnvironmentView::from_process());
    helioray::DistributedEnvironment environment(options);
    all_reduce(environment.world(), sums);
    helioray::Groups groups(environment);
    const auto mesh = groups.add_mesh({-1, 2}, {"data", "space"});
    at::Tensor spectrum = distributed_rfft2(groups.group("space"), image);
    return spectrum;
}

}  // namespace helioray::docs
