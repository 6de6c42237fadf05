// SPDX-License-Identifier: MIT
// Checks and measures outlines of facets.
#include "scenario/types/facet_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

double outline_fraction(const FacetOutline& outline) {
    switch (outline.kind) {
        case FacetOutlineKind::round:
            return 0.25 * std::numbers::pi * (1.0 - outline.hole * outline.hole);
        case FacetOutlineKind::polygon:
            return 0.25 * outline_area(outline.corners);
        case FacetOutlineKind::rectangle:
            break;
    }
    return 1.0;
}

std::optional<OutlineFault> make_valid(FacetOutline& outline) {
    if (outline.kind == FacetOutlineKind::round && !(outline.hole >= 0.0 && outline.hole < 1.0))
        return OutlineFault{
            std::nullopt,
            fmt::format("the hole has {} times the size of the facet", outline.hole),
            "no mirror is left",
            "give 0 or more, below 1"};
    if (outline.kind != FacetOutlineKind::polygon) return std::nullopt;
    if (!kOutlineCorners.contains(static_cast<double>(outline.corners.size())))
        return OutlineFault{
            std::nullopt,
            fmt::format("the outline has {} corners", outline.corners.size()),
            "",
            fmt::format("give {:g} to {:g}", kOutlineCorners.low, kOutlineCorners.high)};
    // Files may store the corners as float32.
    constexpr double kRounding = 1e-6;
    for (size_t i = 0; i < outline.corners.size(); ++i) {
        for (double& coordinate : outline.corners[i]) {
            if (!(std::abs(coordinate) <= 1.0 + kRounding))
                return OutlineFault{i,
                                    fmt::format("{} is outside the facet", coordinate),
                                    "corners are in units of the half extents",
                                    "give -1 to 1"};
            coordinate = std::clamp(coordinate, -1.0, 1.0);
        }
    }
    return make_convex(outline.corners);
}

std::string describe_outline(const FacetOutline& outline) {
    switch (outline.kind) {
        case FacetOutlineKind::round:
            return outline.hole > 0.0 ? ", round with a hole" : ", round";
        case FacetOutlineKind::polygon:
            return fmt::format(", polygon of {} corners", outline.corners.size());
        case FacetOutlineKind::rectangle:
            break;
    }
    return "";
}

}  // namespace helioray
