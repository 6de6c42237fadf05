// SPDX-License-Identifier: MIT
// Precompiled for tests that see LibTorch.
#pragma once

#include "cmake/precompiled_torch.h"
#include "tests/support/catch2.h"
