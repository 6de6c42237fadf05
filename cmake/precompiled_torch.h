// SPDX-License-Identifier: MIT
// Precompiled for the sources that see LibTorch.
#pragma once

#include "cmake/precompiled_base.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
