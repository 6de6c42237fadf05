// SPDX-License-Identifier: MIT
// The ground of a site: heights on a grid, and what of it a point sees as its skyline.
#pragma once

#include "scenario/types/value_grid.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>

namespace helioray {

/// The highest point of the terrain in one direction, as seen from a point.
struct Skyline {
    double distance = 0.0;  ///< horizontal distance of the highest point, metres
    double height = 0.0;    ///< height of the terrain there, metres, ENU
};

/// Heights of the ground. Each cell of the grid has two triangles, divided by the diagonal from its
/// south-west to its north-east corner, so that the ground is continuous and has flat parts only.
class Terrain {
  public:
    /// Takes heights in metres over east and north. Values that are not numbers are holes.
    explicit Terrain(ValueGrid heights);

    /// Returns the height of the ground, metres; no value outside the grid and in a hole.
    std::optional<double> height_at(double east, double north) const;

    /// Returns the point of the ground that appears highest from `from`, among those at horizontal
    /// distances from `near` to `far` in the direction (east, north), a unit vector. Returns no
    /// value if there is no ground. Follows the triangles exactly; the earth is flat.
    std::optional<Skyline> find_skyline(const Vec3& from,
                                        const std::array<double, 2>& direction,
                                        double near,
                                        double far) const;

    /// Returns the heights on their grid.
    const ValueGrid& heights() const { return heights_; }

  private:
    ValueGrid heights_;
};

/// Section terrain of the configuration.
struct TerrainConfig {
    std::optional<std::filesystem::path> file;  ///< file with the heights
    /// Coordinates of the file at the origin of the scenario's coordinates: east, north, up,
    /// metres.
    std::array<double, 3> origin{};
    std::shared_ptr<const Terrain> ground = nullptr;  ///< heights; null: flat, no hills
};

}  // namespace helioray
