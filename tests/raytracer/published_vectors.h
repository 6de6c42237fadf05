// SPDX-License-Identifier: MIT
// Numbers that ARTIST computed, from tests/data/vectors.
#pragma once

#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <string>

namespace helioray::test {

/// One of the files of tests/data/vectors.
inline nlohmann::json read_vectors(const std::string& name) {
    std::ifstream file(source_dir() + "/tests/data/vectors/" + name);
    REQUIRE(file.good());
    return nlohmann::json::parse(file);
}

/// The first N numbers of a list.
template <size_t N>
std::array<double, N> json_numbers(const nlohmann::json& list) {
    std::array<double, N> numbers;
    for (size_t i = 0; i < N; ++i) numbers[i] = list.at(i).get<double>();
    return numbers;
}

/// A 4 x 4 matrix from its rows.
inline std::array<double, 16> json_matrix(const nlohmann::json& rows) {
    std::array<double, 16> matrix;
    for (size_t i = 0; i < 16; ++i) matrix[i] = rows.at(i / 4).at(i % 4).get<double>();
    return matrix;
}

}  // namespace helioray::test
