// SPDX-License-Identifier: MIT
// C++ that documents show and no tutorial has; tests/docs/test_snippets.py compares the lines.
#include "distributed/differentiable/collectives.h"
#include "distributed/ranks/environment.h"
#include "distributed/ranks/groups.h"
#include "distributed/tensors/collectives.h"

#include <ATen/core/Tensor.h>

namespace helioray::docs {

/// distributed/README.md.
at::Tensor sum_of_group(at::Tensor sums, const at::Tensor& flux) {
    helioray::DistributedOptions options;
    options.launch = helioray::detect_launcher(helioray::EnvironmentView::from_process());
    helioray::DistributedEnvironment environment(options);
    all_reduce(environment.world(), sums);
    helioray::Groups groups(environment);
    groups.add_contiguous("pair", 2);
    at::Tensor total =
        differentiable::sum(groups.group("pair"), flux, differentiable::Loss::replicated);
    return total;
}

}  // namespace helioray::docs
