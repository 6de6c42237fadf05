// SPDX-License-Identifier: MIT
// Reads maps of clouds.
#include "scenario/inputs/cloud_map.h"

#include "scenario/inputs/grid_dataset.h"
#include "scenario/types/choices.h"

namespace helioray {

namespace {

void read_hdf5(CloudConfig& clouds, std::vector<Problem>& problems) {
    const hdf5::Group root = hdf5::File::open(clouds.file).root();
    for (const char* name : {"share", "east_m", "north_m"}) {
        if (!root.contains(name))
            problems.push_back({root.where() + name,
                                "is missing",
                                "a map has shares on a grid",
                                "write the datasets east_m, north_m and share [north_m, east_m]"});
    }
    if (problems.empty())
        clouds.map = read_grid_dataset(
            root, "share", {"east_m", "north_m"}, 1.0, "", kSunlitShares, problems);
}

}  // namespace

void read_cloud_map(RunConfig& config) {
    if (!config.sun.clouds || !is_hdf5(config.sun.clouds->file)) return;
    std::vector<Problem> problems;
    read_hdf5(*config.sun.clouds, problems);
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace helioray
