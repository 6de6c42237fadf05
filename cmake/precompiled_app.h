// SPDX-License-Identifier: MIT
// Precompiled for the program: its sources parse options, log and write JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "cmake/precompiled_base.h"
