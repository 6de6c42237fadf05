// SPDX-License-Identifier: MIT
// The physics of the kernels in double precision, ray by ray, without integers: a reference for
// their derivatives.
#pragma once

#include "kernels/random/sequence.h"
#include "kernels/ray/path_adjoint.h"
#include "scenario/files/visit_members.h"
#include "tests/kernels/scene.h"

namespace helioray::test {

static_assert(count_members<kernels::FieldView, 48>() == 39,
              "if the new member changes the power, use it in the loss below, and give it another "
              "value than its default in Scene::view() for the scenes of test_gradients.cpp; if "
              "the loops over rays use it, add a scene to feature_scenes.h");

/// Sum over the rays of power at the target, in quanta, times `gradient` ([targets, height, width])
/// between pixel centres: what a loss linear in the flux of the bilinear filter is. Traces the rays
/// of the kernels for the same seed, by the same templates, every number a double. Nothing stands
/// in the way of the light.
inline double loss_in_double(const Scene& scene, const std::vector<float>& gradient) {
    using namespace kernels;
    const FieldView field = scene.view();
    const bool with_specularity = field.specularity_error.kind != AngularShape::Kind::none;
    double loss = 0.0;
    for (const WorkUnit& unit : scene.units) {
        const HeliostatRecord& h = field.heliostats[unit.first_heliostat];
        const TargetRecord& target = field.targets[h.target];
        const float* map = gradient.data() + static_cast<ptrdiff_t>(h.target) * field.bitmap_width *
                                                 field.bitmap_height;
        const auto context = ray_context<double>(h);
        const int64_t bundles = (unit.rays_per_block + kRaysPerPoint - 1) / kRaysPerPoint;
        for (int64_t block = 2 * int64_t{unit.pair}; block < 2 * int64_t{unit.pair} + 2; ++block) {
            BundleSequence sequence(
                kSequenceTables, field.sampling, field.seed, h.random_id, block, bundles);
            BasicMirrorPoint<double> point{};
            for (int64_t ray = 0; ray < unit.rays_per_block; ++ray) {
                if (ray % kRaysPerPoint == 0) {
                    if (ray > 0) sequence.advance();
                    float xi, eta;
                    sequence.point(xi, eta);
                    point = mirror_point<double>(field, h, xi, eta);
                }
                const auto numbers = sequence.ray_numbers<double>(
                    static_cast<int>(ray % kRaysPerPoint), with_specularity);
                RayPath<double> path;
                trace_path(field, context, target, point, numbers, path);
                const double cosine = dot(point.normal, path.to_sun);
                if (!path.hit.mask || cosine <= 0.0) continue;
                double power = h.ray_power * point.residual * h.optics.reflectivity * cosine;
                if (field.has_incidence_table != 0) power *= incidence_factor(field, cosine).value;
                if (field.air.is_clear == 0) {
                    power *= air_transmittance(field, point, path.hit);
                }
                loss += power *
                        gradient_at(path.hit, map, field.bitmap_width, field.bitmap_height).value;
            }
        }
    }
    return loss;
}

}  // namespace helioray::test
