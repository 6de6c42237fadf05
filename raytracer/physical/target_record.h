// SPDX-License-Identifier: MIT
// Targets as the kernels know them.
#pragma once

#include "kernels/trace_types.h"
#include "scenario/types.h"

namespace helioray::physical {

/// The target's sizes for the kernels. Throws InputError for a cylinder whose opening angle exceeds
/// a full turn.
kernels::TargetRecord target_record(const Target& target);

}  // namespace helioray::physical
