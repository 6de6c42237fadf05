// SPDX-License-Identifier: MIT
// Sobol numbers of all blocks, made by the compiler.
#pragma once

#include "kernels/random/sequence.h"

namespace helioray::kernels {

constexpr SequenceTables kSequenceTables = make_sequence_tables();

}  // namespace helioray::kernels
