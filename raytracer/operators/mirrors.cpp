// SPDX-License-Identifier: MIT
// Mirrors from control points.
#include "raytracer/operators/mirrors.h"

#include "raytracer/operators/checks.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <utility>

namespace helioray::operators {

namespace {

Surface surface_of(const double* values, const MirrorPoints::Layout& layout) {
    Surface surface;
    for (int64_t f = 0; f < layout.num_facets; ++f) {
        Facet facet;
        facet.name = fmt::format("{}", f);
        facet.control_points.assign(values, values + layout.facet_size());
        facet.num_control_points = layout.points;
        facet.degrees = layout.degrees;
        // The frame of the facet is that of the mirror, for plane mirrors as well.
        facet.canting_e = {1.0, 0.0, 0.0};
        facet.canting_n = {0.0, 1.0, 0.0};
        surface.facets.push_back(std::move(facet));
        values += layout.facet_size();
    }
    return surface;
}

}  // namespace

MirrorPoints::MirrorPoints(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees)
    : tensor_(control_points.contiguous()),
      values_(tensor_.const_data_ptr<double>()),
      layout_{tensor_.size(1), {tensor_.size(2), tensor_.size(3)}, degrees} {
    const auto num_mirrors = static_cast<size_t>(tensor_.size(0));
    keys_.reserve(num_mirrors);
    for (size_t i = 0; i < num_mirrors; ++i)
        keys_.push_back(content_key(of(i), static_cast<size_t>(layout_.mirror_size())));
}

bool Mirrors::is_known(const MirrorPoints& points, size_t row) const {
    return points.layout() == layout_ && row < keys_.size() && points.keys()[row] == keys_[row];
}

size_t Mirrors::num_known(const MirrorPoints& points) const {
    size_t count = 0;
    for (size_t i = 0; i < points.num_mirrors(); ++i) count += is_known(points, i) ? 1 : 0;
    return count;
}

std::vector<size_t> Mirrors::update(const MirrorPoints& points, bool shapes) {
    std::vector<size_t> changed;
    for (size_t i = 0; i < points.num_mirrors(); ++i)
        if (!is_known(points, i) || (shapes && !records_[i]->shape)) changed.push_back(i);
    if (!changed.empty()) {
        std::vector<Surface> surfaces;
        surfaces.reserve(changed.size());
        std::vector<physical::SurfaceRequest> requests;
        for (const size_t i : changed) {
            check_finite(points.of(i), points.layout().mirror_size(), "control_points");
            surfaces.push_back(surface_of(points.of(i), points.layout()));
            requests.push_back({&surfaces.back(), true, shapes});
        }
        physical::KnownSurfaces made;
        physical::add_surface_records(requests, made, at::get_num_threads());
        records_.resize(points.num_mirrors());
        for (size_t k = 0; k < changed.size(); ++k) records_[changed[k]] = made.at(&surfaces[k]);
    }
    records_.resize(points.num_mirrors());
    keys_ = points.keys();
    layout_ = points.layout();
    return changed;
}

}  // namespace helioray::operators
