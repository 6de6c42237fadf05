// SPDX-License-Identifier: MIT
// Scenario, aims and settings from tensors.
#include "raytracer/operators/tensor_field.h"

#include "kernels/partition.h"
#include "raytracer/physical/prepared_field.h"
#include "raytracer/result.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::operators {

namespace {

Vec3 vec3(const double* values) {
    return {values[0], values[1], values[2]};
}

Target target_of(const double* row, int64_t index) {
    const std::string name = fmt::format("{}", index);
    const auto kind = static_cast<TargetKind>(static_cast<int>(row[0]));
    if (kind == TargetKind::plane)
        return {name, PlanarTarget{vec3(row + 1), normalized(vec3(row + 4)), row[10], row[11]}};
    CylindricalTarget cylinder;
    cylinder.center = vec3(row + 1);
    cylinder.normal = normalized(vec3(row + 4));
    cylinder.axis = normalized(vec3(row + 7));
    cylinder.radius = row[10];
    cylinder.height = row[11];
    cylinder.opening_angle = row[12];
    cylinder.side = kind == TargetKind::cylinder_inside ? CylindricalTarget::Side::inner
                                                        : CylindricalTarget::Side::outer;
    return {name, cylinder};
}

Scenario scenario_of(const FluxInputs& inputs, const Mirrors& mirrors) {
    Scenario scenario;
    const at::Tensor targets = inputs.targets.contiguous();
    for (int64_t i = 0; i < targets.size(0); ++i)
        scenario.targets.push_back(target_of(targets.const_data_ptr<double>() + 13 * i, i));
    const auto& surfaces = mirrors.surfaces;
    for (int64_t i = 0; i < inputs.orientation.size(0); ++i) {
        Heliostat heliostat;
        heliostat.name = fmt::format("{}", i);
        heliostat.id = i;
        heliostat.surface = surfaces[surfaces.size() == 1 ? 0 : static_cast<size_t>(i)];
        scenario.heliostats.push_back(std::move(heliostat));
    }
    return scenario;
}

std::vector<physical::AimedHeliostat> aimed_heliostats(const FluxInputs& inputs) {
    const at::Tensor orientation = inputs.orientation.contiguous();
    const at::Tensor target_index = inputs.target_index.contiguous();
    std::vector<physical::AimedHeliostat> aimed(static_cast<size_t>(orientation.size(0)));
    for (size_t i = 0; i < aimed.size(); ++i) {
        aimed[i].heliostat = i;
        aimed[i].target = static_cast<size_t>(target_index.const_data_ptr<int64_t>()[i]);
        std::copy_n(
            orientation.const_data_ptr<double>() + 16 * i, 16, aimed[i].orientation.begin());
    }
    // Work units need neighbours with one target.
    std::stable_sort(aimed.begin(), aimed.end(), [](const auto& a, const auto& b) {
        return a.target < b.target;
    });
    return aimed;
}

SunShape sun_shape(const std::string& name, double width) {
    if (name == "gaussian") return GaussianShape{width};
    if (name == "pillbox") return PillboxShape{width};
    return CollimatedShape{};
}

ErrorShape error_shape(double sigma) {
    if (sigma > 0.0) return GaussianShape{sigma};
    return NoError{};
}

physical::FieldSettings field_settings(const FluxInputs& inputs,
                                       const FluxSettings& settings,
                                       const BitmapConfig& bitmap) {
    const at::Tensor sun = inputs.sun_direction.contiguous();
    const at::Tensor optics = inputs.optics.contiguous();
    const double* values = optics.const_data_ptr<double>();
    physical::FieldSettings result;
    result.sun_direction = normalized(vec3(sun.const_data_ptr<double>()));
    result.dni = values[0];
    result.sun_shape = sun_shape(settings.sun_shape, values[2]);
    result.optics.reflectivity = values[1];
    result.optics.slope_error = error_shape(values[3]);
    result.optics.specularity_error = error_shape(values[4]);
    result.bitmap = bitmap;
    result.seed = static_cast<uint64_t>(settings.seed);
    result.shading = settings.shading;
    result.blocking = settings.blocking;
    return result;
}

physical::Plan plan_of(const std::vector<physical::AimedHeliostat>& aimed,
                       const FluxSettings& settings) {
    return physical::make_plan(
        {physical::targets_of(aimed), settings.rays, settings.bitmap[0] * settings.bitmap[1]});
}

/// Every count-th unit: parts of about equal work.
std::vector<kernels::WorkUnit> units_of_part(const physical::Plan& plan,
                                             const std::array<int64_t, 2>& part) {
    std::vector<kernels::WorkUnit> units;
    for (const int64_t i : partition_in_turn(std::ssize(plan.units), part[0], part[1]))
        units.push_back(plan.units[static_cast<size_t>(i)]);
    return units;
}

}  // namespace

TensorField::TensorField(const FluxInputs& inputs, const FluxSettings& settings)
    : mirrors_(mirrors_of(
          inputs.control_points, settings.degrees, settings.shading || settings.blocking)),
      scenario_(scenario_of(inputs, mirrors_)),
      aimed_(aimed_heliostats(inputs)),
      // Gradients need light that moves smoothly from pixel to pixel.
      bitmap_{settings.bitmap[1], settings.bitmap[0], Filter::bilinear},
      plan_(plan_of(aimed_, settings)),
      units_(units_of_part(plan_, settings.part)),
      field_(
          scenario_, aimed_, field_settings(inputs, settings, bitmap_), plan_, mirrors_.records) {}

std::vector<double> TensorField::flux_per_quantum() const {
    std::vector<double> factors;
    const auto pixels = static_cast<double>(bitmap_.width * bitmap_.height);
    for (const Target& target : scenario_.targets) {
        const auto extent = surface_extent(target);
        factors.push_back(pixels / (field_.quanta_per_watt() * extent[0] * extent[1]));
    }
    return factors;
}

}  // namespace helioray::operators
