// SPDX-License-Identifier: MIT
// Scenario, aims and settings from tensors.
#include "raytracer/operators/tensor_field.h"

#include "kernels/partition.h"
#include "raytracer/result.h"
#include "scenario/vector_math.h"

#include <ATen/Parallel.h>
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

std::vector<physical::FieldTarget> field_targets(const FluxInputs& inputs) {
    std::vector<physical::FieldTarget> targets;
    const at::Tensor rows = inputs.targets.contiguous();
    for (int64_t i = 0; i < rows.size(0); ++i)
        targets.push_back({target_of(rows.const_data_ptr<double>() + 13 * i, i), {}});
    return targets;
}

std::vector<physical::FieldHeliostat> field_heliostats(const FluxInputs& inputs,
                                                       const Mirrors& mirrors) {
    std::vector<physical::FieldHeliostat> heliostats;
    const auto& surfaces = mirrors.surfaces;
    for (int64_t i = 0; i < inputs.orientation.size(0); ++i) {
        const auto& surface = surfaces[surfaces.size() == 1 ? 0 : static_cast<size_t>(i)];
        heliostats.push_back({mirrors.records.at(surface.get()), {}});
    }
    return heliostats;
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

physical::FieldLight field_light(const FluxInputs& inputs, const FluxSettings& settings) {
    const at::Tensor sun = inputs.sun_direction.contiguous();
    const at::Tensor optics = inputs.optics.contiguous();
    const double* values = optics.const_data_ptr<double>();
    physical::FieldLight light;
    light.sun_direction = normalized(vec3(sun.const_data_ptr<double>()));
    light.dni = values[0];
    light.sun_shape = sun_shape(settings.sun_shape, values[2]);
    light.optics.reflectivity = values[1];
    light.optics.slope_error = error_shape(values[3]);
    light.optics.specularity_error = error_shape(values[4]);
    return light;
}

physical::FieldSettings field_settings(const FluxSettings& settings) {
    physical::FieldSettings result;
    // Gradients need light that moves smoothly from pixel to pixel.
    result.bitmap = {settings.bitmap[1], settings.bitmap[0], Filter::bilinear};
    result.seed = static_cast<uint64_t>(settings.seed);
    result.shading = settings.shading;
    result.blocking = settings.blocking;
    result.rays.rays = settings.rays;
    return result;
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
      field_(field_heliostats(inputs, mirrors_),
             field_targets(inputs),
             field_light(inputs, settings),
             field_settings(settings)) {
    for (const physical::AimedHeliostat& one : aimed_heliostats(inputs)) field_.aim(one);
    field_.update(at::get_num_threads());
    units_ = units_of_part(field_.plan(), settings.part);
}

std::vector<double> TensorField::flux_per_quantum() const {
    std::vector<double> factors;
    for (size_t t = 0; t < field_.targets().size(); ++t)
        factors.push_back(field_.flux_per_quantum(t));
    return factors;
}

}  // namespace helioray::operators
