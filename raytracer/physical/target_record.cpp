// SPDX-License-Identifier: MIT
// Targets as the kernels know them.
#include "raytracer/physical/target_record.h"

#include "scenario/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace helioray::physical {

kernels::TargetRecord target_record(const Target& target) {
    kernels::TargetRecord record{};
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        record.kind = kernels::TargetKind::plane;
        record.width = static_cast<float>(plane->width);
        record.height = static_cast<float>(plane->height);
        return record;
    }
    const auto& cylinder = std::get<CylindricalTarget>(target.geometry);
    // A hair above a full turn is rounding of the file's float32.
    constexpr double kFullTurn = 2.0 * std::numbers::pi;
    if (cylinder.opening_angle > kFullTurn * (1.0 + 1e-6)) {
        throw InputError(
            Problem{fmt::format("target_areas_cylindrical/{}/cylinder_opening_angle", target.name),
                    fmt::format("the opening angle {} is larger than a full turn (2 pi)",
                                cylinder.opening_angle),
                    "the file stores radians",
                    fmt::format("if degrees were meant, store {:.7g}",
                                cylinder.opening_angle * std::numbers::pi / 180.0)});
    }
    const double angle = std::min(cylinder.opening_angle, kFullTurn);
    record.kind = kernels::TargetKind::cylinder;
    record.width = static_cast<float>(cylinder.radius * angle);
    record.height = static_cast<float>(cylinder.height);
    record.radius = static_cast<float>(cylinder.radius);
    record.opening_angle = static_cast<float>(angle);
    record.inner_side = cylinder.side == CylindricalTarget::Side::inner ? 1 : 0;
    return record;
}

}  // namespace helioray::physical
