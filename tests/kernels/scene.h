// SPDX-License-Identifier: MIT
// Small scenes for the kernels, built by hand: one heliostat before one target.
#pragma once

#include "kernels/facet_area.h"
#include "kernels/mesh/build_mesh.h"
#include "kernels/trace_flux.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace helioray::test {

/// Sums of a trace with their storage.
struct Sums {
    std::vector<int64_t> flux, flux_square, flux_difference, energy, power_square, heliostat_flux;
    std::vector<int64_t> surface_square, shielded;  ///< empty without surfaces of receivers
    std::vector<int64_t> reflected;                 ///< empty unless these reflect
    kernels::SumsView view() {
        return {flux.data(),
                flux_square.data(),
                energy.data(),
                power_square.data(),
                heliostat_flux.empty() ? nullptr : heliostat_flux.data(),
                flux_difference.data(),
                surface_square.empty() ? nullptr : surface_square.data(),
                shielded.empty() ? nullptr : shielded.data(),
                reflected.empty() ? nullptr : reflected.data()};
    }
    bool operator==(const Sums&) const = default;
};

/// A mesh among the surfaces of receivers.
struct SceneMesh {
    kernels::MeshTree tree;
    std::vector<float> planes;  ///< see MeshRecord
    kernels::MeshFront front = kernels::MeshFront::normals;
};

/// A field under construction; plain members, changed freely before plan().
struct Scene {
    std::vector<kernels::HeliostatRecord> heliostats;
    std::vector<kernels::FacetRecord> facets;
    std::vector<kernels::TargetRecord> targets;
    std::vector<kernels::SurfaceRecord> surfaces;
    std::vector<SceneMesh> meshes;
    bool reflects = false;            ///< the surfaces reflect a part of the light
    int32_t rays_per_carrier = 1;     ///< see FieldView
    int64_t absorptance_tables = -1;  ///< offset in `floats`; -1: none
    std::vector<float> floats;
    std::vector<kernels::WorkUnit> units;
    std::vector<kernels::Occluder> occluders;
    std::vector<kernels::OccluderFacet> occluder_facets;
    std::vector<int32_t> candidates;
    kernels::AngularShape sun{kernels::AngularShape::Kind::none, 0.0f};
    kernels::AngularShape slope_error{kernels::AngularShape::Kind::none, 0.0f};
    kernels::AngularShape specularity_error{kernels::AngularShape::Kind::none, 0.0f};
    kernels::AirRecord air{1, {}, 0.0f, 1.0f, 0.0f};
    float reflectivity = 1.0f;
    int64_t incidence_table = -1;  ///< offset in `floats`; -1: none
    /// Optics by heliostat; empty: all have the reflectivity and the widths of this scene.
    std::vector<kernels::MirrorOptics> own_optics;
    /// Heliostats with their optics, as of the last view().
    mutable std::vector<kernels::HeliostatRecord> seen;
    /// Records of the meshes, as of the last view().
    mutable std::vector<kernels::MeshRecord> mesh_records;
    int32_t width = 64;
    int32_t height = 64;
    kernels::FilterKind filter = kernels::FilterKind::box;
    kernels::SamplingKind sampling = kernels::SamplingKind::sobol;
    uint64_t seed = 42;
    double dni = 1000.0;
    double area = 0.0;                            ///< of the heliostat
    int64_t rays = 0;                             ///< per heliostat
    static constexpr double kQuanta = 4194304.0;  ///< of one ray before the cosine
    static constexpr double kSquareScale = 0x1p-27;

    double watts_per_quantum() const { return dni * area / (static_cast<double>(rays) * kQuanta); }

    void plan(int64_t pairs, int64_t rays_per_block) {
        units.clear();
        for (size_t i = 0; i < heliostats.size(); ++i) {
            for (int64_t pair = 0; pair < pairs; ++pair) {
                units.push_back({static_cast<int32_t>(i),
                                 1,
                                 heliostats[i].target,
                                 static_cast<int32_t>(pair),
                                 rays_per_block});
            }
            heliostats[i].ray_power = static_cast<float>(kQuanta);
        }
        rays = 2 * pairs * rays_per_block;
    }

    /// Puts one facet between the first heliostat and the sun.
    void shade_by(const kernels::Occluder& occluder, const kernels::OccluderFacet& facet) {
        occluders = {occluder};
        occluder_facets = {facet};
        candidates = {0};
        heliostats[0].num_shaders = 1;
    }

    kernels::FieldView view() const {
        kernels::FieldView view{};
        seen = heliostats;
        for (size_t i = 0; i < seen.size(); ++i)
            seen[i].optics = own_optics.empty() ? kernels::MirrorOptics{reflectivity,
                                                                        slope_error.width,
                                                                        specularity_error.width}
                                                : own_optics[i];
        view.heliostats = seen.data();
        view.facets = facets.data();
        view.targets = targets.data();
        view.floats = floats.data();
        view.num_heliostats = static_cast<int32_t>(heliostats.size());
        view.num_targets = static_cast<int32_t>(targets.size());
        view.surfaces = surfaces.data();
        view.num_surfaces = static_cast<int32_t>(surfaces.size());
        view.absorptance_tables = absorptance_tables;
        view.reflects = reflects ? 1 : 0;
        view.rays_per_carrier = rays_per_carrier;
        for (const kernels::SurfaceRecord& surface : surfaces)
            view.has_shading_surfaces |= surface.shades;
        view.sun = sun;
        view.slope_error = slope_error;
        view.bitmap_width = width;
        view.bitmap_height = height;
        view.filter = filter;
        view.sampling = sampling;
        view.seed = seed;
        view.square_scale = kSquareScale;
        view.specularity_error = specularity_error;
        view.occluders = occluders.data();
        view.occluder_facets = occluder_facets.data();
        view.candidates = candidates.data();
        view.shading = candidates.empty() ? 0 : 1;
        view.shading_tangent = view.blocking_tangent = -1.0f;
        view.air = air;
        view.has_incidence_table = incidence_table < 0 ? 0 : 1;
        view.incidence_table = incidence_table;
        view.sizes = {std::ssize(facets),
                      std::ssize(floats),
                      std::ssize(occluders),
                      std::ssize(occluder_facets),
                      std::ssize(candidates)};
        mesh_records.clear();
        for (const SceneMesh& mesh : meshes)
            mesh_records.push_back({mesh.tree.view(),
                                    mesh.planes.data(),
                                    static_cast<int32_t>(mesh.planes.size() / 4),
                                    mesh.front});
        view.meshes = meshes.empty() ? nullptr : mesh_records.data();
        view.sizes.meshes = std::ssize(meshes);
        return view;
    }

    Sums zero_sums(bool per_heliostat = false) const {
        const auto pixels = static_cast<size_t>(width) * static_cast<size_t>(height);
        Sums sums;
        const size_t maps = targets.size() + (reflects ? surfaces.size() : 0);
        sums.flux.assign(maps * pixels, 0);
        sums.flux_square = sums.flux_difference = sums.flux;
        sums.energy.assign(heliostats.size() * kernels::kNumEnergySums, 0);
        sums.power_square.assign(heliostats.size(), 0);
        if (per_heliostat) sums.heliostat_flux.assign(heliostats.size() * pixels, 0);
        if (!surfaces.empty()) {
            sums.surface_square.assign(maps, 0);
            sums.shielded.assign(heliostats.size(), 0);
            if (reflects) sums.reflected.assign(heliostats.size() * kernels::kNumReflectedSums, 0);
        }
        return sums;
    }

    Sums trace(int threads = 1,
               kernels::InstructionSet set = kernels::InstructionSet::automatic,
               bool per_heliostat = false) const {
        Sums sums = zero_sums(per_heliostat);
        kernels::CpuOptions options;
        options.num_threads = threads;
        options.instruction_set = set;
        kernels::trace_flux_cpu(
            view(), units.data(), static_cast<int64_t>(units.size()), sums.view(), options);
        return sums;
    }
};

/// Makes the reflectivity fall with the angle of incidence: by `drop` times 1 - cosine.
inline void use_incidence_table(Scene& scene, float drop) {
    scene.incidence_table = static_cast<int64_t>(scene.floats.size());
    for (int i = 0; i <= kernels::kIncidenceTableSize; ++i) {
        const float t = static_cast<float>(i) / kernels::kIncidenceTableSize;
        scene.floats.push_back(1.0f - drop * t * t);
    }
}

/// Heliostat with the mirror frame at `position` in the target's frame, rows of the rotation given.
inline kernels::HeliostatRecord heliostat(const float (&rotation)[9],
                                          const float (&position)[3],
                                          const float (&sun)[3]) {
    kernels::HeliostatRecord h{};
    h.num_facets = 1;
    for (int i = 0; i < 9; ++i) h.rotation[i] = rotation[i];
    for (int i = 0; i < 3; ++i) {
        h.translation[i] = position[i];
        h.sun_direction[i] = sun[i];
    }
    return h;
}

inline kernels::FacetRecord analytic_facet(kernels::FacetKind kind,
                                           float half_e,
                                           float half_n,
                                           float focal_length) {
    kernels::FacetRecord facet{};
    facet.kind = kind;
    facet.half_extent[0] = half_e;
    facet.half_extent[1] = half_n;
    facet.focal_length = focal_length;
    facet.rotation[0] = facet.rotation[4] = facet.rotation[8] = 1.0f;
    facet.cumulative_area = 1.0f;
    const double extent[2] = {half_e, half_n};
    facet.area = static_cast<float>(kernels::analytic_area(kind, extent, focal_length));
    return facet;
}

inline kernels::TargetRecord plane(float width, float height) {
    kernels::TargetRecord target{};
    target.kind = kernels::TargetKind::plane;
    target.width = width;
    target.height = height;
    return target;
}

/// Sun overhead, paraboloid of 10 x 10 m and focal length 500 m below an 8 x 8 m target that faces
/// down at 500 m (round A of Wang et al., Solar Energy 195 (2020) 461-474).
inline Scene paraboloid_scene() {
    Scene scene;
    // Frame of a target that faces down: z down; x, y chosen right-handed. The mirror's normal
    // points to -z of it.
    scene.heliostats.push_back(heliostat({1, 0, 0, 0, -1, 0, 0, 0, -1}, {0, 0, 500}, {0, 0, -1}));
    scene.facets.push_back(analytic_facet(kernels::FacetKind::paraboloid, 5.0f, 5.0f, 500.0f));
    scene.targets.push_back(plane(8.0f, 8.0f));
    scene.area = scene.facets[0].area;
    return scene;
}

/// Half of a Gaussian beam of standard deviation 1 m (500 m, 1 mrad about each axis) lies beyond
/// the left rim of the target of paraboloid_scene().
inline Scene rim_scene() {
    Scene scene = paraboloid_scene();
    scene.sun = {kernels::AngularShape::Kind::gaussian, 2e-3f};
    scene.filter = kernels::FilterKind::bilinear;
    scene.heliostats[0].translation[0] = -4.0f;
    scene.plan(8, 65536);
    return scene;
}

/// Replaces the facet by a flat B-spline of the same size with n x n equidistant control points.
inline void use_flat_bspline(Scene& scene, int n, int degree = 3) {
    kernels::FacetRecord& facet = scene.facets[0];
    std::vector<double> points;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            points.push_back((2.0 * i / (n - 1) - 1.0) * facet.half_extent[0]);
            points.push_back((2.0 * j / (n - 1) - 1.0) * facet.half_extent[1]);
            points.push_back(0.0);
        }
    }
    facet.kind = kernels::FacetKind::bspline;
    facet.num_control_points[0] = facet.num_control_points[1] = n;
    facet.degrees[0] = facet.degrees[1] = degree;
    facet.control_points = 0;
    scene.floats.assign(points.begin(), points.end());
    facet.sampling_tables = static_cast<int64_t>(scene.floats.size());
    scene.floats.resize(scene.floats.size() + 2 * (kernels::kSamplingTableSize + 1));
    scene.area = kernels::bspline_area_and_tables(
        points.data(), n, n, degree, degree, scene.floats.data() + facet.sampling_tables);
    facet.area = static_cast<float>(scene.area);
}

}  // namespace helioray::test
