// SPDX-License-Identifier: MIT
// Passes text to Python as bytes, since names come from files and may not be UTF-8.
#pragma once

#include <nanobind/nanobind.h>
#include <nlohmann/json.hpp>

#include <string>

namespace helioray::python {

inline nanobind::bytes as_bytes(const std::string& text) {
    return nanobind::bytes(text.data(), text.size());
}

/// Returns JSON in one line; bytes that are not UTF-8 become replacement characters.
template <typename Json>
std::string one_line(const Json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace helioray::python
