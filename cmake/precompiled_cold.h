// SPDX-License-Identifier: MIT
// Precompiled for code that reads and writes files: the headers of all, with the flags of code that
// runs once.
#pragma once

#include "cmake/precompiled_base.h"
