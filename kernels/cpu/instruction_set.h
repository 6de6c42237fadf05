// SPDX-License-Identifier: MIT
// Which instruction sets this processor has.
#pragma once

#include "kernels/trace_flux.h"

namespace helioray::kernels {

/// Resolves "automatic". Throws std::invalid_argument for a set that this processor lacks.
InstructionSet require_available(InstructionSet set);

}  // namespace helioray::kernels
