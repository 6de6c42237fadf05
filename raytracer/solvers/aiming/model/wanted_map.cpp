// SPDX-License-Identifier: MIT
// Reads target flux maps and computes distances from them.
#include "raytracer/solvers/aiming/model/wanted_map.h"

#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/types/run_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace helioray::aiming {

namespace {

// Power in mean cells below which a parabola continues the logarithm.
constexpr double kDark = 1e-3;

/// Reads the target flux of one target from a file. Adds a problem and returns an empty map if the
/// file has none.
std::vector<double> wanted_flux(const hdf5::Group& root,
                                const std::string& target,
                                const BitmapConfig& bitmap,
                                std::vector<Problem>& problems) {
    const std::string path = "targets/" + target + "/flux";
    const auto refuse = [&](std::string what, std::string why, std::string remedy) {
        problems.push_back(
            {root.where() + path, std::move(what), std::move(why), std::move(remedy)});
        return std::vector<double>{};
    };
    if (!root.contains("targets") || !root.group("targets").contains(target) ||
        !root.group("targets").group(target).contains("flux"))
        return refuse("is missing",
                      "heliostats aim at this target, and the map describes the flux on it",
                      "write it, as results have it");
    const hdf5::Dataset dataset = root.group("targets").group(target).dataset("flux");
    const hdf5::Shape expected{static_cast<size_t>(bitmap.height),
                               static_cast<size_t>(bitmap.width)};
    if (dataset.shape() != expected)
        return refuse(fmt::format("has the shape {}, the bitmap {}",
                                  hdf5::to_string(dataset.shape()),
                                  hdf5::to_string(expected)),
                      "maps are compared pixel by pixel",
                      "set bitmap to the map's size");
    std::vector<double> flux = dataset.read<double>();
    const auto wrong = std::find_if_not(flux.begin(), flux.end(), [](double value) {
        return std::isfinite(value) && value >= 0.0;
    });
    if (wrong != flux.end())
        return refuse(fmt::format("holds {} in row {}, column {}",
                                  *wrong,
                                  (wrong - flux.begin()) / bitmap.width,
                                  (wrong - flux.begin()) % bitmap.width),
                      "a flux is a number of W/m2 that is not below 0",
                      "");
    return flux;
}

}  // namespace

WantedMap::Part WantedMap::part(size_t cell, double power) const {
    const double wanted = cells[cell] / unit, brought = power / unit;
    const double lit = lit_shares[cell];
    if (measure == AimingConfig::MapMeasure::mean_square) {
        const double off = brought - wanted;
        return {0.5 * lit * off * off, lit * off / unit};
    }
    if (wanted <= 0.0) return {lit * std::max(0.0, brought), brought > 0.0 ? lit / unit : 0.0};
    // Compute -log(p), continued with its first two derivatives.
    const double at = std::max(brought, kDark);
    const double below = (brought - at) / at;
    const double value = std::log(wanted / at) - below + 0.5 * below * below;
    const double slope = (below - 1.0) / at;
    return {lit * (wanted * value - wanted + brought), lit * (wanted * slope + 1.0) / unit};
}

double WantedMap::distance(const std::vector<double>& power) const {
    double sum = 0.0;
    for (size_t c = 0; c < cells.size(); ++c) sum += part(c, power[c]).value;
    const double area = std::accumulate(lit_shares.begin(), lit_shares.end(), 0.0);
    const double mean = std::max(0.0, sum / area);
    return measure == AimingConfig::MapMeasure::mean_square ? std::sqrt(2.0 * mean) : mean;
}

std::vector<std::vector<double>> read_wanted_flux(const RunConfig& config,
                                                  const Scenario& scenario,
                                                  const std::vector<size_t>& targets) {
    const hdf5::Group root = hdf5::File::open(*config.aiming.target_map).root();
    std::vector<Problem> problems;
    std::vector<std::vector<double>> maps;
    bool has_light = false;
    for (const size_t target : targets) {
        maps.push_back(wanted_flux(root, scenario.targets[target].name, config.bitmap, problems));
        has_light = has_light || std::any_of(maps.back().begin(), maps.back().end(), [](double v) {
                        return v > 0.0;
                    });
    }
    if (problems.empty() && !has_light)
        problems.push_back({root.where(),
                            "has no light on any target that is aimed at",
                            "distances are shares of the wanted flux",
                            "turn heliostats off by aim.active instead"});
    if (problems.empty()) return maps;
    const std::string key = place_of(config, "aiming.objective.target_map");
    for (Problem& problem : problems) problem.where = key + ": " + problem.where;
    throw InputError(std::move(problems));
}

WantedMap read_wanted_map(const RunConfig& config,
                          const Scenario& scenario,
                          const std::vector<ReceiverGrid>& grids) {
    const BitmapConfig& bitmap = config.bitmap;
    std::vector<size_t> targets;
    for (const ReceiverGrid& grid : grids) targets.push_back(grid.target);
    const std::vector<std::vector<double>> maps = read_wanted_flux(config, scenario, targets);
    WantedMap map;
    map.measure = config.aiming.map_measure;
    for (size_t g = 0; g < grids.size(); ++g) {
        const ReceiverGrid& grid = grids[g];
        map.lit_shares.insert(map.lit_shares.end(), grid.lit_share.begin(), grid.lit_share.end());
        map.cells.resize(map.lit_shares.size(), 0.0);
        const double area = grid.target_width() * grid.target_height() /
                            static_cast<double>(bitmap.width * bitmap.height);
        for (int64_t row = 0; row < bitmap.height; ++row)
            for (int64_t column = 0; column < bitmap.width; ++column)
                map.cells[grid.first_cell + *grid.cell_of_pixel(column, row, bitmap)] +=
                    area * maps[g][static_cast<size_t>(row * bitmap.width + column)];
    }
    map.unit = std::accumulate(map.cells.begin(), map.cells.end(), 0.0) /
               std::accumulate(map.lit_shares.begin(), map.lit_shares.end(), 0.0);
    return map;
}

}  // namespace helioray::aiming
