// SPDX-License-Identifier: MIT
// Pieces of writing a result file. Internal to the writers.
#pragma once

#include "raytracer/result.h"
#include "scenario/hdf5/group.h"

#include <stdexcept>
#include <string>

namespace helioray {

/// The two attributes that every dataset has.
inline void annotate(hdf5::Object object, const std::string& unit, const std::string& description) {
    object.write_attribute("unit", unit);
    object.write_attribute("description", description);
}

/// Throws std::runtime_error unless the condition holds.
inline void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("the result cannot be written: " + what);
}

/// Attributes at the root.
void write_provenance(hdf5::Group& root, const Provenance& provenance);

/// The whole file of a single run.
void fill_result(hdf5::Group root, const RunResult& result);

/// How heliostats stand: their orientations, aim points and, where all are known, outlines.
void write_standing(hdf5::Group& group, const RunResult& result);

/// Fills /heliostats.
void write_heliostats(hdf5::Group& group, const RunResult& result);

}  // namespace helioray
