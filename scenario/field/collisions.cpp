// SPDX-License-Identifier: MIT
// Neighbours in a grid of cells.
#include "scenario/field/layouts.h"
#include "scenario/vector_math.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace helioray {

std::vector<TooClose> too_close(const std::vector<Vec3>& positions, double distance) {
    // Heliostats closer than the distance stand in the same cell or in neighbouring ones.
    using Cell = std::pair<int64_t, int64_t>;
    std::vector<TooClose> pairs;
    if (!(distance > 0.0)) return pairs;
    std::map<Cell, std::vector<size_t>> cells;
    for (size_t i = 0; i < positions.size(); ++i) {
        const Cell own{static_cast<int64_t>(std::floor(positions[i][0] / distance)),
                       static_cast<int64_t>(std::floor(positions[i][1] / distance))};
        for (int64_t de = -1; de <= 1; ++de) {
            for (int64_t dn = -1; dn <= 1; ++dn) {
                const auto cell = cells.find({own.first + de, own.second + dn});
                if (cell == cells.end()) continue;
                for (const size_t other : cell->second) {
                    const double apart = norm(subtract(positions[i], positions[other]));
                    if (apart < distance) pairs.push_back({other, i, apart});
                }
            }
        }
        cells[own].push_back(i);
    }
    std::sort(pairs.begin(), pairs.end(), [](const TooClose& a, const TooClose& b) {
        return std::pair{a.first, a.second} < std::pair{b.first, b.second};
    });
    return pairs;
}

}  // namespace helioray
