// SPDX-License-Identifier: MIT
// Reference numbers of ARTIST.
#pragma once

#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace helioray::test {

/// One of the files of tests/data/vectors.
inline nlohmann::json read_vectors(const std::string& name) {
    std::ifstream file(source_dir() + "/tests/data/vectors/" + name);
    REQUIRE(file.good());
    return nlohmann::json::parse(file);
}

}  // namespace helioray::test
