// SPDX-License-Identifier: MIT
// Precompiled for the sources that see LibTorch. Not all of ATen: that loads in 2.6 CPU seconds for
// each source, this in 1.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "cmake/precompiled_base.h"
