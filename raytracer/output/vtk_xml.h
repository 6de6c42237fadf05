// SPDX-License-Identifier: MIT
// Pieces of VTK's XML files: arrays of numbers as base64, arrays of strings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::vtk_xml {

/// The whole file around its content; `type` as VTK names it ("StructuredGrid").
std::string file(const std::string& type, const std::string& content);

/// A DataArray of doubles, `components` of them per tuple.
std::string array(const std::string& name, const std::vector<double>& values, int components = 1);

/// A DataArray of 64-bit integers.
std::string array(const std::string& name, const std::vector<std::int64_t>& values);

/// A DataArray of strings.
std::string array(const std::string& name, const std::vector<std::string>& values);

}  // namespace helioray::vtk_xml
