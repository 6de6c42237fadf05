// SPDX-License-Identifier: MIT
// Small fields that use every feature of the kernels once, to compare one backend with another.
#pragma once

#include "tests/kernels/scene.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray::test {

/// A scene with what stands in the way, and the features that Scene leaves out.
struct FeatureScene {
    std::string name;
    Scene scene;
    kernels::AirRecord air{1, {}, 0.0f, 0.0f, 0.0f};
    std::vector<kernels::Occluder> occluders;
    std::vector<kernels::OccluderFacet> occluder_facets;
    std::vector<float> occluder_outlines{0.0f};
    std::vector<int32_t> candidates;
    std::vector<kernels::ObstacleRecord> obstacles;
    bool occlusion = false;
    bool culling = true;
    bool per_heliostat = false;

    kernels::FieldView view() const {
        kernels::FieldView view = scene.view();
        view.air = air;
        view.occluders = occluders.data();
        view.occluder_facets = occluder_facets.data();
        view.candidates = candidates.data();
        view.obstacles = obstacles.data();
        view.sizes.occluders = std::ssize(occluders);
        view.sizes.occluder_facets = std::ssize(occluder_facets);
        view.sizes.candidates = std::ssize(candidates);
        view.occluder_outlines = occluder_outlines.data();
        view.sizes.occluder_outlines = std::ssize(occluder_outlines);
        view.num_obstacles =
            static_cast<int32_t>(obstacles.size() / std::max<size_t>(1, scene.targets.size()));
        view.shading = view.blocking = occlusion ? 1 : 0;
        // Above the largest angles of the shapes below.
        view.shading_tangent = culling ? 0.006f : -1.0f;
        view.blocking_tangent = culling ? 0.03f : -1.0f;
        return view;
    }

    Sums trace_on_cpu(int threads = 1) const {
        Sums sums = scene.zero_sums(per_heliostat);
        kernels::CpuOptions options;
        options.num_threads = threads;
        kernels::trace_flux_cpu(view(),
                                scene.units.data(),
                                static_cast<int64_t>(scene.units.size()),
                                sums.view(),
                                options);
        return sums;
    }
};

namespace feature_scenes {

using kernels::AngularShape;

/// Two heliostats 500 m before an 8 x 8 m target, light from the side; the image fills part of it.
inline FeatureScene plain() {
    FeatureScene f;
    f.name = "paraboloid, sobol, box";
    f.scene = paraboloid_scene();
    f.scene.heliostats.push_back(f.scene.heliostats[0]);
    for (size_t i = 0; i < 2; ++i) {
        kernels::HeliostatRecord& h = f.scene.heliostats[i];
        h.random_id = static_cast<uint32_t>(3 * i + 1);
        h.translation[0] = 12.0f * static_cast<float>(i);
        // Half the angle to a target that is not straight ahead.
        const float tilt = -0.012f * static_cast<float>(i);
        h.rotation[2] = -tilt;
        h.rotation[6] = tilt;
    }
    f.scene.sun = {AngularShape::Kind::pillbox, 4.65e-3f};
    f.scene.slope_error = {AngularShape::Kind::gaussian, 1e-3f};
    f.scene.reflectivity = 0.93f;
    f.scene.width = 61;
    f.scene.height = 47;
    return f;
}

/// theta^2 of a disc of 4 mrad with a tail to 10 mrad that holds a tenth of the power.
inline void use_table_sun(FeatureScene& f) {
    constexpr float kSplit = 0.9f;
    f.scene.sun = {AngularShape::Kind::table, 0.0f, kSplit};
    f.scene.sun.table = static_cast<int64_t>(f.scene.floats.size());
    for (int i = 0; i <= kernels::kRadialTableSize; ++i)
        f.scene.floats.push_back(16e-6f * static_cast<float>(i) / kernels::kRadialTableSize);
    for (int i = 0; i <= kernels::kRadialTableSize; ++i)
        f.scene.floats.push_back(
            16e-6f + 84e-6f * std::pow(static_cast<float>(i) / kernels::kRadialTableSize, 3.0f));
}

inline void use_cylinder(FeatureScene& f, bool inner) {
    // The rays come along -z of the heliostats' frame: turn it, so that they meet the middle (+y).
    for (kernels::HeliostatRecord& h : f.scene.heliostats) {
        for (int column = 0; column < 3; ++column) {
            std::swap(h.rotation[3 + column], h.rotation[6 + column]);
            h.rotation[column] = -h.rotation[column];
        }
        std::swap(h.translation[1], h.translation[2]);
        std::swap(h.sun_direction[1], h.sun_direction[2]);
        h.translation[0] = -h.translation[0];
        h.sun_direction[0] = -h.sun_direction[0];
    }
    kernels::TargetRecord& target = f.scene.targets[0];
    target.kind =
        inner ? kernels::TargetKind::cylinder_inside : kernels::TargetKind::cylinder_outside;
    target.radius = 3.0f;
    target.opening_angle = inner ? 2.0f : 6.2831853f;
    target.width = target.radius * target.opening_angle;
    target.height = 7.0f;
    if (!inner) return;
    // The lit wall is the far one.
    for (kernels::HeliostatRecord& h : f.scene.heliostats) {
        for (int i = 0; i < 6; ++i) h.rotation[i] = -h.rotation[i];
        for (int i = 0; i < 2; ++i) {
            h.translation[i] = -h.translation[i];
            h.sun_direction[i] = -h.sun_direction[i];
        }
    }
}

inline void use_aperture_and_outline(FeatureScene& f) {
    kernels::TargetRecord& target = f.scene.targets[0];
    target.edges = static_cast<int64_t>(f.scene.floats.size());
    target.num_edges = 6;
    for (int i = 0; i < 6; ++i) {
        const double angle = i * 1.0471975512;
        f.scene.floats.push_back(static_cast<float>(std::cos(angle)));
        f.scene.floats.push_back(static_cast<float>(std::sin(angle)));
        f.scene.floats.push_back(0.3f);
    }
    kernels::ApertureRecord& window = target.aperture;
    window.kind = kernels::ApertureRecord::Kind::disc;
    window.center[0] = 0.5f;
    window.center[2] = 1.5f;
    window.normal[2] = 1.0f;
    window.axis_x[0] = window.axis_y[1] = 1.0f / 2.0f;
}

/// Mirrors on the way, more than a warp looks through at once, and two bodies.
inline void use_occlusion(FeatureScene& f) {
    f.occlusion = true;
    f.scene.slope_error = {AngularShape::Kind::pillbox, 2e-3f};
    constexpr int kMirrors = 37;
    for (int i = 0; i < kMirrors; ++i) {
        kernels::Occluder mirror{};
        const float x = -8.0f + 0.9f * static_cast<float>(i);
        const float z = 480.0f - 9.0f * static_cast<float>(i);
        mirror.center[0] = x;
        mirror.center[2] = z;
        mirror.radius = 1.5f;
        mirror.first_facet = 2 * i;
        mirror.num_facets = 2;
        for (const float side : {-1.0f, 1.0f}) {
            kernels::OccluderFacet facet{};
            facet.center[0] = x + 0.3f * side;
            facet.center[2] = z;
            facet.normal[2] = 1.0f;
            facet.axis_x[0] = 1.0f / 0.25f;
            facet.axis_y[1] = 1.0f / 0.8f;
            facet.bending[0] = facet.bending[2] = 1e-3f;
            facet.radius = 0.9f;
            f.occluder_facets.push_back(facet);
        }
        f.occluders.push_back(mirror);
        f.candidates.push_back(i);
    }
    for (kernels::HeliostatRecord& h : f.scene.heliostats) {
        h.num_shaders = 5;
        h.num_blockers = kMirrors;
        h.first_shader = 3;
    }
    for (const auto kind :
         {kernels::ObstacleRecord::Kind::box, kernels::ObstacleRecord::Kind::cylinder}) {
        kernels::ObstacleRecord body{};
        body.kind = kind;
        body.center[0] = kind == kernels::ObstacleRecord::Kind::box ? 2.0f : -2.0f;
        body.center[1] = 1.0f;
        body.center[2] = 100.0f;
        body.axes[0] = body.axes[4] = 1.0f / 0.4f;
        body.axes[8] = 1.0f / 3.0f;
        f.obstacles.push_back(body);
    }
    kernels::ObstacleRecord cone{};
    cone.kind = kernels::ObstacleRecord::Kind::cone;
    cone.center[1] = -1.5f;
    cone.center[2] = 150.0f;
    cone.axes[0] = cone.axes[5] = 1.0f / 0.5f;
    cone.axes[7] = -1.0f / 0.8f;
    cone.taper = -0.6f;
    f.obstacles.push_back(cone);
}

/// Mirrors with a hole, or triangles with a right angle.
inline void use_outlined_mirrors(FeatureScene& f, kernels::FacetOutline outline) {
    kernels::FacetRecord& facet = f.scene.facets[0];
    facet.outline = outline;
    facet.hole = 0.25f;
    facet.outline_fraction = 0.5f;
    if (outline == kernels::FacetOutline::ellipse)
        facet.outline_fraction = 0.785398163f * (1.0f - facet.hole * facet.hole);
    facet.area *= facet.outline_fraction;
    f.scene.area = facet.area;
    if (outline != kernels::FacetOutline::polygon) return;
    // Three triangles of equal area from the centroid.
    facet.num_triangles = 3;
    facet.triangles = static_cast<int64_t>(f.scene.floats.size());
    const float third = 1.0f / 3.0f;
    for (const float number : {-third,
                               -third,
                               third,
                               -1.0f,
                               -1.0f,
                               1.0f,
                               -1.0f,
                               2 * third,
                               1.0f,
                               -1.0f,
                               -1.0f,
                               1.0f,
                               1.0f,
                               -1.0f,
                               1.0f,
                               -1.0f,
                               -1.0f})
        f.scene.floats.push_back(number);
}

/// Occluders of use_occlusion() as rings and triangles by turns.
inline void use_outlined_occluders(FeatureScene& f) {
    use_occlusion(f);
    for (const float number :
         {0.0f, 0.2f, 3.0f, 0.0f, -1.0f, 0.0f, 1.0f, 0.0f, -1.0f, 1.0f, 0.8f, 0.6f, 0.3f})
        f.occluder_outlines.push_back(number);
    for (size_t i = 0; i < f.occluder_facets.size(); ++i)
        f.occluder_facets[i].outline = i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 0;
}

/// One scene for each feature, of so many rays per block, or per block where mirrors stand in the
/// way.
inline std::vector<FeatureScene> all(int64_t pairs, int64_t plain_rays, int64_t occlusion_rays) {
    std::vector<FeatureScene> scenes;
    const auto add = [&](const std::string& name,
                         const std::function<void(FeatureScene&)>& change) {
        FeatureScene f = plain();
        f.name = name;
        change(f);
        f.scene.plan(pairs, f.occlusion ? occlusion_rays : plain_rays);
        scenes.push_back(std::move(f));
    };
    add("paraboloid, pillbox sun, Sobol numbers, box", [](FeatureScene&) {});
    add("random numbers, Gaussian sun, bilinear", [](FeatureScene& f) {
        f.scene.sampling = kernels::SamplingKind::random;
        f.scene.filter = kernels::FilterKind::bilinear;
        f.scene.sun = {AngularShape::Kind::gaussian, 2.09e-3f};
    });
    add("Sobol numbers, bilinear, no errors", [](FeatureScene& f) {
        f.scene.filter = kernels::FilterKind::bilinear;
        f.scene.slope_error = {AngularShape::Kind::none, 0.0f};
    });
    add("cubic B-spline", [](FeatureScene& f) { use_flat_bspline(f.scene, 7); });
    add("B-spline of degree 5", [](FeatureScene& f) { use_flat_bspline(f.scene, 9, 5); });
    add("sphere", [](FeatureScene& f) {
        f.scene.facets[0] = analytic_facet(kernels::FacetKind::sphere, 5.0f, 5.0f, 500.0f);
    });
    add("flat, table sun", [](FeatureScene& f) {
        f.scene.facets[0] = analytic_facet(kernels::FacetKind::flat, 2.0f, 1.0f, 0.0f);
        use_table_sun(f);
    });
    add("specularity error", [](FeatureScene& f) {
        f.scene.specularity_error = {AngularShape::Kind::gaussian, 2e-3f};
    });
    add("optics of each heliostat", [](FeatureScene& f) {
        f.scene.specularity_error = {AngularShape::Kind::pillbox, 2e-3f};
        f.scene.own_optics = {{0.93f, 1e-3f, 0.0f}, {0.5f, 0.0f, 2e-3f}};
    });
    add("cylinder from outside", [](FeatureScene& f) { use_cylinder(f, false); });
    add("cylinder from inside", [](FeatureScene& f) { use_cylinder(f, true); });
    add("aperture and outline", use_aperture_and_outline);
    add("attenuation", [](FeatureScene& f) {
        f.air = {0, {0.99f, -0.1f, 0.02f, -0.003f, 0.0001f}, 1.5f, 0.97f, 0.12f};
    });
    add("shading and blocking", use_occlusion);
    add("shading and blocking, without culling", [](FeatureScene& f) {
        use_occlusion(f);
        f.culling = false;
    });
    add("reflectivity by incidence angle", [](FeatureScene& f) {
        use_incidence_table(f.scene, 0.7f);
        // Light from the side: mirrors turn by half the angle of the sun, with the cosine 0.8.
        for (kernels::HeliostatRecord& h : f.scene.heliostats) {
            const float sine = std::sqrt(0.1f), cosine = std::sqrt(0.9f);
            for (int column = 0; column < 3; ++column) {
                const float y = h.rotation[3 + column], z = h.rotation[6 + column];
                h.rotation[3 + column] = cosine * y - sine * z;
                h.rotation[6 + column] = cosine * z + sine * y;
            }
            h.sun_direction[1] = 0.6f;
            h.sun_direction[2] *= 0.8f;
        }
    });
    add("round mirrors with a hole",
        [](FeatureScene& f) { use_outlined_mirrors(f, kernels::FacetOutline::ellipse); });
    add("triangular mirrors, occluders with outlines", [](FeatureScene& f) {
        use_outlined_occluders(f);
        use_outlined_mirrors(f, kernels::FacetOutline::polygon);
    });
    add("a triangle of a cubic B-spline", [](FeatureScene& f) {
        use_flat_bspline(f.scene, 7);
        use_outlined_mirrors(f, kernels::FacetOutline::polygon);
    });
    add("a bitmap for each heliostat", [](FeatureScene& f) { f.per_heliostat = true; });
    add("a bitmap that is larger than shared memory", [](FeatureScene& f) {
        f.scene.width = 701;
        f.scene.height = 533;
    });
    // Heliostats that share units.
    scenes.push_back(scenes.front());
    scenes.back().name = "units of two heliostats";
    std::vector<kernels::WorkUnit>& units = scenes.back().scene.units;
    units.resize(static_cast<size_t>(pairs));
    for (kernels::WorkUnit& unit : units) unit.num_heliostats = 2;
    return scenes;
}

}  // namespace feature_scenes

}  // namespace helioray::test
