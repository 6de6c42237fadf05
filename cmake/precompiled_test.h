// SPDX-License-Identifier: MIT
// Precompiled for tests that are free of LibTorch.
#pragma once

#include "tests/support/catch2.h"

#include "cmake/precompiled_base.h"
