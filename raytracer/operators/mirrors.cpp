// SPDX-License-Identifier: MIT
// Mirrors from control points.
#include "raytracer/operators/mirrors.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <utility>

namespace helioray::operators {

namespace {

using Degrees = std::array<int64_t, 2>;
using Points = std::array<int64_t, 2>;

/// The mirrors of the last call, whoever made it.
class LastMirrors {
  public:
    std::shared_ptr<const Mirrors> get() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return mirrors_;
    }

    void set(Mirrors mirrors) {
        auto next = std::make_shared<const Mirrors>(std::move(mirrors));
        const std::lock_guard<std::mutex> lock(mutex_);
        mirrors_.swap(next);
    }

  private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Mirrors> mirrors_ = std::make_shared<const Mirrors>();
};

LastMirrors& last_mirrors() {
    static LastMirrors last;
    return last;
}

/// values: of one mirror, [facets, points, 3].
bool is_made_of(const Surface& surface,
                const double* values,
                size_t num_facets,
                const Points& points,
                const Degrees& degrees) {
    if (surface.facets.size() != num_facets) return false;
    const auto size = static_cast<size_t>(3 * points[0] * points[1]);
    for (size_t f = 0; f < num_facets; ++f) {
        const Facet& facet = surface.facets[f];
        if (facet.degrees != degrees || facet.num_control_points != points) return false;
        // Bits, not values: -0 and 0 are different inputs.
        if (std::memcmp(facet.control_points.data(), values + f * size, size * sizeof(double)) != 0)
            return false;
    }
    return true;
}

std::shared_ptr<const Surface> make_surface(const double* values,
                                            size_t num_facets,
                                            const Points& points,
                                            const Degrees& degrees) {
    Surface surface;
    const int64_t size = 3 * points[0] * points[1];
    for (size_t f = 0; f < num_facets; ++f) {
        Facet facet;
        facet.name = fmt::format("{}", f);
        facet.control_points.assign(values, values + size);
        facet.num_control_points = points;
        facet.degrees = degrees;
        // The frame of the facet is that of the mirror, for plane mirrors as well.
        facet.canting_e = {1.0, 0.0, 0.0};
        facet.canting_n = {0.0, 1.0, 0.0};
        surface.facets.push_back(std::move(facet));
        values += size;
    }
    return std::make_shared<const Surface>(std::move(surface));
}

}  // namespace

Mirrors mirrors_of(const at::Tensor& control_points, const Degrees& degrees, bool shapes) {
    const at::Tensor given = control_points.contiguous();
    const auto num_mirrors = static_cast<size_t>(given.size(0));
    const auto num_facets = static_cast<size_t>(given.size(1));
    const Points points{given.size(2), given.size(3)};
    const double* values = given.const_data_ptr<double>();
    const size_t mirror_size = num_facets * static_cast<size_t>(3 * points[0] * points[1]);
    const std::shared_ptr<const Mirrors> last = last_mirrors().get();

    Mirrors mirrors;
    std::vector<physical::SurfaceRequest> requests;
    for (size_t i = 0; i < num_mirrors; ++i) {
        const double* own = values + i * mirror_size;
        if (i < last->surfaces.size() &&
            is_made_of(*last->surfaces[i], own, num_facets, points, degrees)) {
            const Surface* surface = last->surfaces[i].get();
            mirrors.surfaces.push_back(last->surfaces[i]);
            mirrors.records.emplace(surface, last->records.at(surface));
        } else {
            mirrors.surfaces.push_back(make_surface(own, num_facets, points, degrees));
        }
        requests.push_back({mirrors.surfaces.back().get(), true, shapes});
    }
    physical::add_surface_records(requests, mirrors.records, at::get_num_threads());
    last_mirrors().set(mirrors);
    return mirrors;
}

}  // namespace helioray::operators
