// SPDX-License-Identifier: MIT
// The operations on vectors, for the conversion.
#pragma once

#include "scenario/vector_math.h"

namespace helioray::paint {

using namespace vectors;

}  // namespace helioray::paint
