// SPDX-License-Identifier: MIT
// Mirrors from control points and formulas.
#include "raytracer/operators/mirrors.h"

#include "raytracer/operators/checks.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace helioray::operators {

namespace {

Vec3 vec3(const double* values) {
    return {values[0], values[1], values[2]};
}

/// What a mirror's place in memory depends on beside its content: its own, or one that these
/// heliostats share, where their gradients are added up.
uint64_t sharing(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) {
    if (mirrors.num_mirrors() > 1 || heliostats.size() == 1) return 0;
    uint64_t hash = 0xcbf29ce484222325;
    for (const size_t one : heliostats) hash = (hash ^ one) * 0x100000001b3;
    return hash;
}

/// Key of the mirror of heliostats[i].
ContentKey key_of(const MirrorTensor& mirrors, uint64_t shared_by, size_t i) {
    ContentKey key = mirrors.keys()[mirrors.num_mirrors() == 1 ? 0 : i];
    key.low ^= shared_by;
    return key;
}

}  // namespace

MirrorTensor::MirrorTensor(const char* name,
                           const at::Tensor& rows,
                           std::span<const int64_t> layout)
    : name_(name),
      tensor_(rows.contiguous()),
      values_(tensor_.const_data_ptr<double>()),
      size_(tensor_.size(0) > 0 ? tensor_.numel() / tensor_.size(0) : 0) {
    uint64_t meaning = 0;
    for (const int64_t number : layout)
        meaning = 1'000'003 * meaning + static_cast<uint64_t>(number);
    const auto count = static_cast<size_t>(tensor_.size(0));
    keys_.reserve(count);
    for (size_t i = 0; i < count; ++i)
        keys_.push_back(content_key(
            values_ + static_cast<int64_t>(i) * size_, static_cast<size_t>(size_), meaning));
}

Surface MirrorTensor::surface(size_t mirror) const {
    const double* own = values_ + static_cast<int64_t>(mirror) * size_;
    check_finite(own, size_, name_);
    return make_surface(own);
}

MirrorPoints::MirrorPoints(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees)
    : MirrorTensor("control_points",
                   control_points,
                   std::array<int64_t, 5>{control_points.size(1),
                                          control_points.size(2),
                                          control_points.size(3),
                                          degrees[0],
                                          degrees[1]}),
      num_facets_(control_points.size(1)),
      points_{control_points.size(2), control_points.size(3)},
      degrees_(degrees) {}

Surface MirrorPoints::make_surface(const double* values) const {
    const int64_t size = 3 * points_[0] * points_[1];
    Surface surface;
    for (int64_t f = 0; f < num_facets_; ++f, values += size) {
        Facet facet;
        facet.name = fmt::format("{}", f);
        facet.control_points.assign(values, values + size);
        facet.num_control_points = points_;
        facet.degrees = degrees_;
        // The frame of the facet is that of the mirror, for plane mirrors as well.
        facet.canting_e = {1.0, 0.0, 0.0};
        facet.canting_n = {0.0, 1.0, 0.0};
        surface.facets.push_back(std::move(facet));
    }
    return surface;
}

MirrorFormulas::MirrorFormulas(const at::Tensor& facets)
    : MirrorTensor("facets", facets, std::array<int64_t, 2>{facets.size(1), -1}),
      num_facets_(facets.size(1)) {}

Surface MirrorFormulas::make_surface(const double* values) const {
    constexpr FacetShape kShapes[] = {FacetShape::flat, FacetShape::paraboloid, FacetShape::sphere};
    Surface surface;
    for (int64_t f = 0; f < num_facets_; ++f, values += kColumns) {
        Facet facet;
        facet.name = fmt::format("{}", f);
        facet.shape = kShapes[static_cast<size_t>(values[0])];
        facet.focal_length = values[1];
        facet.translation = vec3(values + 2);
        facet.canting_e = vec3(values + 5);
        facet.canting_n = vec3(values + 8);
        surface.facets.push_back(std::move(facet));
    }
    return surface;
}

size_t Mirrors::num_known(const MirrorTensor& mirrors,
                          const std::vector<size_t>& heliostats) const {
    const uint64_t shared_by = sharing(mirrors, heliostats);
    size_t count = 0;
    for (size_t i = 0; i < heliostats.size(); ++i) {
        const size_t one = heliostats[i];
        if (records_[one] && keys_[one] == key_of(mirrors, shared_by, i)) ++count;
    }
    return count;
}

std::vector<size_t> Mirrors::update(const MirrorTensor& mirrors,
                                    const std::vector<size_t>& heliostats,
                                    bool shapes) {
    const bool shared = mirrors.num_mirrors() == 1;
    const uint64_t shared_by = sharing(mirrors, heliostats);
    std::vector<size_t> changed;  // places in heliostats
    for (size_t i = 0; i < heliostats.size(); ++i) {
        const physical::MirrorRecords& have = records_[heliostats[i]];
        const bool known = have && keys_[heliostats[i]] == key_of(mirrors, shared_by, i);
        if (!known || (shapes && !have->shape)) changed.push_back(i);
    }
    if (changed.empty()) return {};

    std::vector<Surface> surfaces(shared ? 1 : changed.size());
    std::vector<physical::SurfaceRequest> requests;
    for (size_t k = 0; k < surfaces.size(); ++k) {
        surfaces[k] = mirrors.surface(shared ? 0 : changed[k]);
        requests.push_back({&surfaces[k], true, shapes});
    }
    physical::KnownSurfaces made;
    physical::add_surface_records(requests, made, at::get_num_threads());

    // The one that all share is new for all of them.
    std::vector<size_t> result;
    const size_t count = shared ? heliostats.size() : changed.size();
    for (size_t k = 0; k < count; ++k) {
        const size_t i = shared ? k : changed[k];
        records_[heliostats[i]] = made.at(&surfaces[shared ? 0 : k]);
        keys_[heliostats[i]] = key_of(mirrors, shared_by, i);
        result.push_back(heliostats[i]);
    }
    return result;
}

}  // namespace helioray::operators
