// SPDX-License-Identifier: MIT
// Precompiled for tests that see LibTorch.
#pragma once

#include "tests/support/catch2.h"

#include "cmake/precompiled_torch.h"
