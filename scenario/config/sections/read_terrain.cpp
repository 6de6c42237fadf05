// SPDX-License-Identifier: MIT
// Reads the section terrain and its file. It stands alone, because PyTorch's operators, which read
// the bodies of a configuration, must not need HDF5.
#include "scenario/config/bound_key.h"
#include "scenario/config/section.h"
#include "scenario/files/error.h"
#include "scenario/inputs/terrain_file.h"

#include <vector>

namespace helioray {

void read_ground(const Section& section, TerrainConfig& terrain) {
    if (!section.require("file", "it holds the heights of the ground") || !terrain.file) return;
    std::vector<Problem> problems;
    try {
        terrain.ground = read_terrain_file(*terrain.file, terrain.origin, problems);
    } catch (const InputError& error) {
        problems = error.problems();
    }
    section.problems().insert(section.problems().end(), problems.begin(), problems.end());
}

void read_terrain(const Section& root, TerrainConfig& terrain) {
    if (!root.has("terrain")) return;
    const Section section = root.section("terrain");
    read_members(section, terrain);
    read_ground(section, terrain);
}

}  // namespace helioray
