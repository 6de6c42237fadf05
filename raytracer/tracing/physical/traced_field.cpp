// SPDX-License-Identifier: MIT
// Sums that follow the changes of a field.
#include "raytracer/tracing/physical/traced_field.h"

#include <algorithm>
#include <stdexcept>

namespace helioray::physical {

TracedField::TracedField(const Field& field)
    : field_(field),
      parts_(field.num_heliostats()),
      surface_maps_(kernels::surface_maps(field.view())),
      flux_(static_cast<size_t>(field.sums_layout().flux_size())),
      square_(flux_.size()) {
    const RayBudget& rays = field.settings().rays;
    if (!rays.separate_heliostats || rays.in_rounds)
        throw std::invalid_argument("the field's units have rays of several heliostats, or rounds");
}

int64_t TracedField::num_pixels() const {
    return field_.settings().bitmap.width * field_.settings().bitmap.height;
}

void TracedField::store(Part& part, const kernels::HeliostatSums& sums) const {
    part.target = field_.heliostats()[static_cast<size_t>(sums.heliostat)].target;
    std::copy_n(sums.energy, kernels::kNumEnergySums, part.energy.begin());
    part.power_square = sums.power_square;
    part.shielded = sums.shielded;
    std::copy_n(sums.reflected, kernels::kNumReflectedSums, part.reflected.begin());
    part.surface_square.clear();
    if (is_surface(part.target))
        part.surface_square.assign(sums.surface_square, sums.surface_square + surface_maps_.size());
    part.pixels.clear();
    part.flux.clear();
    part.square.clear();
    for (int64_t p = sums.first_pixel; p <= sums.last_pixel; ++p) {
        if ((sums.flux[p] | sums.flux_square[p]) == 0) continue;
        part.pixels.push_back(static_cast<int32_t>(p));
        part.flux.push_back(sums.flux[p]);
        part.square.push_back(sums.flux_square[p]);
    }
}

void TracedField::add(const Part& part, int64_t sign) {
    if (part.target < 0) return;
    // Pixels ascend, so that those of a map follow each other.
    const bool lights_surfaces = is_surface(part.target);
    int64_t map = -1, end = 0, shift = part.target * num_pixels();
    for (size_t i = 0; i < part.pixels.size(); ++i) {
        const int64_t pixel = part.pixels[i];
        if (lights_surfaces && pixel >= end) {
            map = pixel / num_pixels();
            end = (map + 1) * num_pixels();
            shift = (surface_maps_[static_cast<size_t>(map)] - map) * num_pixels();
        }
        flux_[static_cast<size_t>(pixel + shift)] += sign * part.flux[i];
        square_[static_cast<size_t>(pixel + shift)] += sign * part.square[i];
    }
}

size_t TracedField::follow(const FieldUpdate& update, const kernels::CpuOptions& options) {
    const bool everything = update.everything || !is_complete_;
    is_complete_ = false;
    if (everything) {
        std::fill(flux_.begin(), flux_.end(), 0);
        std::fill(square_.begin(), square_.end(), 0);
        for (Part& part : parts_) part.target = -1;
    }

    // Remove the old light of changed heliostats, and collect the rows to trace.
    std::vector<int32_t> rows;
    const auto take_out = [&](size_t heliostat) {
        add(parts_[heliostat], -1);
        parts_[heliostat].target = -1;
        if (field_.row(heliostat) >= 0) rows.push_back(field_.row(heliostat));
    };
    if (everything) {
        for (size_t i = 0; i < parts_.size(); ++i) take_out(i);
    } else {
        for (const size_t heliostat : update.heliostats) take_out(heliostat);
    }

    const auto& units = field_.plan().units;
    const int64_t units_per_heliostat =
        field_.aimed().empty() ? 0 : std::ssize(units) / std::ssize(field_.aimed());
    const auto find_part = [&](int32_t row) -> Part& {
        return parts_[field_.aimed()[static_cast<size_t>(row)].heliostat];
    };
    is_complete_ = kernels::trace_heliostats_cpu(
        field_.view(),
        units.data(),
        units_per_heliostat,
        rows,
        options,
        [&](const kernels::HeliostatSums& sums) { store(find_part(sums.heliostat), sums); });
    for (const int32_t row : rows) add(find_part(row), 1);
    return rows.size();
}

std::vector<int64_t> TracedField::sums() const {
    const kernels::SumsLayout shapes = field_.sums_layout();
    std::vector<int64_t> sums(static_cast<size_t>(shapes.total_size()), 0);
    const kernels::SumsView view = shapes.view(sums.data());
    std::copy(flux_.begin(), flux_.end(), view.flux);
    std::copy(square_.begin(), square_.end(), view.flux_square);
    for (size_t row = 0; row < field_.aimed().size(); ++row) {
        const Part& part = parts_[field_.aimed()[row].heliostat];
        std::copy(
            part.energy.begin(), part.energy.end(), view.energy + row * kernels::kNumEnergySums);
        view.power_square[row] = part.power_square;
        if (view.shielded == nullptr) continue;
        view.shielded[row] = part.shielded;
        if (view.reflected != nullptr)
            std::copy(part.reflected.begin(),
                      part.reflected.end(),
                      view.reflected + row * kernels::kNumReflectedSums);
        for (size_t i = 0; i < part.surface_square.size(); ++i)
            view.surface_square[surface_maps_[i]] += part.surface_square[i];
    }
    sums[static_cast<size_t>(shapes.rays_index())] = field_.num_rays();
    return sums;
}

std::span<const int64_t> TracedField::flux(size_t map) const {
    return std::span(flux_).subspan(map * static_cast<size_t>(num_pixels()),
                                    static_cast<size_t>(num_pixels()));
}

int64_t TracedField::delivered(size_t heliostat) const {
    const Part& part = parts_[heliostat];
    return part.target < 0 ? 0 : part.energy[kernels::kDeliveredSum];
}

}  // namespace helioray::physical
