// SPDX-License-Identifier: MIT
// Single rays are the rays of a trace.
#include "kernels/core/vec.h"
#include "kernels/trace_ray.h"
#include "tests/kernels/feature_scenes.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

using namespace helioray;
using namespace helioray::kernels;
using namespace helioray::test;

namespace {

/// Calls use(ray) with every ray of the units.
template <typename Use>
void trace_all_rays(const FieldView& view, const std::vector<WorkUnit>& units, const Use& use) {
    for (const WorkUnit& unit : units) {
        for (int32_t i = 0; i < unit.num_heliostats; ++i) {
            for (int64_t half = 0; half < 2; ++half) {
                for (int64_t ray = 0; ray < unit.rays_per_block; ++ray) {
                    const int32_t heliostat = unit.first_heliostat + i;
                    use(heliostat,
                        trace_ray(view,
                                  {heliostat,
                                   2 * static_cast<int64_t>(unit.pair) + half,
                                   unit.rays_per_block,
                                   ray}));
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("the energies of all single rays add up to the sums of the trace") {
    // Blocks end in the middle of a bundle.
    for (const FeatureScene& f : feature_scenes::all(3, 45, 45)) {
        INFO(f.name);
        const FieldView view = f.view();
        std::vector<int64_t> energy(f.scene.heliostats.size() * kNumEnergySums, 0);
        bool ends_agree = true;
        trace_all_rays(view, f.scene.units, [&](int32_t heliostat, const TracedRay& ray) {
            for (int k = 0; k < kNumEnergySums; ++k)
                energy[static_cast<size_t>(heliostat * kNumEnergySums + k)] += ray.energy[k];
            ends_agree =
                ends_agree && (ray.energy[kUnshadedSum] > 0) == (ray.end != RayEnd::shaded);
            ends_agree =
                ends_agree && (ray.energy[kDeliveredSum] > 0) ==
                                  (ray.end == RayEnd::delivered || ray.end > RayEnd::shielded);
        });
        CHECK(energy == f.trace_on_cpu().energy);
        CHECK(ends_agree);
    }
}

TEST_CASE("a shaded ray ends on the mirror that shades it, a blocked one on that which blocks it") {
    // Mirror at the origin of the heliostat, light and target along its normal; a large flat facet
    // across the way, 7 m from the mirror, first on one list of candidates and then on the other.
    FeatureScene f = feature_scenes::plain();
    f.scene.heliostats.resize(1);
    f.occlusion = true;
    f.culling = false;
    f.scene.plan(1, 64);
    HeliostatRecord& h = f.scene.heliostats[0];
    const FieldView bare = f.view();
    const TracedRay first = trace_ray(bare, {0, 0, 64, 0});
    REQUIRE(first.end == RayEnd::delivered);
    for (const bool before_sun : {true, false}) {
        const float(&axis)[3] = before_sun ? first.to_sun : first.reflected;
        OccluderFacet facet{};
        for (int k = 0; k < 3; ++k) {
            facet.center[k] = first.mirror[k] + 7.0f * axis[k];
            facet.normal[k] = axis[k];
        }
        // In-plane axes of a square of 40 m.
        const Vec<float> normal = to_vec(facet.normal);
        Vec<float> a, b;
        tangent_basis(normal, a, b);
        const float x[3] = {a.x / 20, a.y / 20, a.z / 20};
        const float y[3] = {b.x / 20, b.y / 20, b.z / 20};
        std::copy(std::begin(x), std::end(x), std::begin(facet.axis_x));
        std::copy(std::begin(y), std::end(y), std::begin(facet.axis_y));
        facet.radius = 30.0f;
        Occluder occluder{};
        std::copy(std::begin(facet.center), std::end(facet.center), std::begin(occluder.center));
        occluder.radius = 30.0f;
        occluder.num_facets = 1;
        f.occluders = {occluder};
        f.occluder_facets = {facet};
        f.candidates = {0};
        h.num_shaders = before_sun ? 1 : 0;
        h.num_blockers = before_sun ? 0 : 1;
        const FieldView view = f.view();
        trace_all_rays(view, f.scene.units, [&](int32_t, const TracedRay& ray) {
            REQUIRE(ray.end == (before_sun ? RayEnd::shaded : RayEnd::blocked));
            const float(&way)[3] = before_sun ? ray.to_sun : ray.reflected;
            double height = 0.0;
            for (int k = 0; k < 3; ++k)
                height += (ray.mirror[k] + ray.distance * way[k] - facet.center[k]) * axis[k];
            CHECK(std::abs(height) < 1e-3);
        });
    }
}
