// SPDX-License-Identifier: MIT
// From tensors to what a field is told.
#include "raytracer/operators/tensor_field.h"

#include "kernels/partition.h"
#include "raytracer/operators/trace_flux.h"
#include "scenario/vector_math.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace helioray::operators {

namespace {

/// As -1 in the tensor of indices.
constexpr auto kNoTarget = static_cast<size_t>(-1);

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

/// Not values: -0 and 0 are different inputs.
bool have_same_bits(const std::array<double, 16>& have, const double* given) {
    return std::equal(have.begin(), have.end(), given, [](double a, double b) {
        return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
    });
}

/// The shape with the tensor's width, where it has one.
SunShape with_width(const SunShape& shape, double width) {
    if (std::holds_alternative<GaussianShape>(shape)) return GaussianShape{width};
    if (std::holds_alternative<PillboxShape>(shape)) return PillboxShape{width};
    return shape;
}

ErrorShape with_width(const ErrorShape& shape, double width) {
    if (!(width > 0.0)) return NoError{};
    if (std::holds_alternative<PillboxShape>(shape)) return PillboxShape{width};
    return GaussianShape{width};
}

}  // namespace

std::vector<physical::FieldTarget> targets_of(const at::Tensor& rows) {
    std::vector<physical::FieldTarget> targets;
    const at::Tensor given = rows.contiguous();
    for (int64_t i = 0; i < given.size(0); ++i)
        targets.push_back({target_of(given.const_data_ptr<double>() + 13 * i, i), {}});
    return targets;
}

TensorField::TensorField(FieldSetup setup, std::optional<Mirrors> known)
    : setup_(std::move(setup)),
      mirrors_(known ? std::move(*known) : Mirrors(setup_.positions.size())),
      everyone_(setup_.positions.size()),
      aimed_(setup_.positions.size()) {
    std::iota(everyone_.begin(), everyone_.end(), size_t{0});
    for (const size_t i : everyone_) {
        aimed_[i].heliostat = i;
        aimed_[i].target = kNoTarget;
    }
}

bool TensorField::set_mirrors(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) {
    const std::vector<size_t> changed = mirrors_.update(mirrors, heliostats, has_shapes());
    if (field_)
        for (const size_t i : changed) field_->set_mirror(i, mirrors_.records()[i]);
    is_stale_ = is_stale_ || !changed.empty();
    return !changed.empty();
}

void TensorField::set_orientation(const at::Tensor& orientation, const at::Tensor& target_index) {
    const at::Tensor given = orientation.contiguous();
    const at::Tensor given_index = target_index.contiguous();
    const double* matrix = given.const_data_ptr<double>();
    const int64_t* target = given_index.const_data_ptr<int64_t>();
    for (size_t i = 0; i < aimed_.size(); ++i, matrix += 16) {
        physical::AimedHeliostat& one = aimed_[i];
        const auto index = static_cast<size_t>(target[i]);
        if (one.target == index && have_same_bits(one.orientation, matrix)) continue;
        one.target = index;
        std::copy_n(matrix, 16, one.orientation.begin());
        is_stale_ = true;
        if (!field_) continue;
        if (index == kNoTarget) {
            field_->stow(i);
        } else {
            field_->aim(one);
        }
    }
}

void TensorField::set_light(const at::Tensor& sun_direction, const at::Tensor& optics) {
    const at::Tensor sun = sun_direction.contiguous();
    const at::Tensor given = optics.contiguous();
    const double* values = given.const_data_ptr<double>();
    const Vec3 direction = normalized(vec3(sun.const_data_ptr<double>()));
    if (direction != light_.sun_direction || values[0] != light_.dni) {
        light_.sun_direction = direction;
        light_.dni = values[0];
        is_stale_ = true;
        if (field_) field_->set_sun(light_.sun_direction, light_.dni);
    }
    const bool same = std::equal(optics_.begin() + 1, optics_.end(), values + 1);
    std::copy_n(values, optics_.size(), optics_.begin());
    if (field_ && same) return;
    is_stale_ = true;
    light_.sun_shape = with_width(setup_.sun_shape, values[2]);
    light_.optics = setup_.optics;
    light_.optics.reflectivity = values[1];
    light_.optics.slope_error = with_width(setup_.optics.slope_error, values[3]);
    light_.optics.specularity_error = with_width(setup_.optics.specularity_error, values[4]);
    if (field_) field_->set_optics(light_.sun_shape, light_.optics);
}

void TensorField::set_seed(uint64_t seed) {
    if (seed == setup_.settings.seed) return;
    setup_.settings.seed = seed;
    is_stale_ = true;
    if (field_) field_->set_seed(seed);
}

void TensorField::make_field() {
    std::vector<physical::FieldHeliostat> heliostats;
    heliostats.reserve(everyone_.size());
    for (const size_t i : everyone_)
        heliostats.push_back({mirrors_.records()[i], setup_.positions[i]});
    field_.emplace(std::move(heliostats), setup_.targets, light_, setup_.settings);
    for (const physical::AimedHeliostat& one : aimed_)
        if (one.target != kNoTarget) field_->aim(one);
}

void TensorField::update() {
    if (!is_stale_) return;
    if (!field_) make_field();
    field_->update(at::get_num_threads());
    is_stale_ = false;
}

std::vector<kernels::WorkUnit> TensorField::units_of_part(
    const std::array<int64_t, 2>& part) const {
    const std::vector<kernels::WorkUnit>& all = field_->plan().units;
    std::vector<kernels::WorkUnit> units;
    for (const int64_t i : partition_in_turn(std::ssize(all), part[0], part[1]))
        units.push_back(all[static_cast<size_t>(i)]);
    return units;
}

std::vector<double> TensorField::flux_per_quantum() const {
    std::vector<double> factors;
    for (size_t t = 0; t < field_->targets().size(); ++t)
        factors.push_back(field_->flux_per_quantum(t));
    return factors;
}

std::vector<int64_t>& TensorField::float_sums() {
    float_sums_.resize(field_->facets().floats().size(), 0);
    return float_sums_;
}

}  // namespace helioray::operators
