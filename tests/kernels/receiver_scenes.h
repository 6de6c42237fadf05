// SPDX-License-Identifier: MIT
// Small fields with receivers of several surfaces, to compare one backend with another.
#pragma once

#include "kernels/receiver/annulus.h"
#include "kernels/receiver/cone.h"
#include "kernels/receiver/cylinder.h"
#include "kernels/receiver/disc.h"
#include "kernels/receiver/sphere.h"
#include "tests/kernels/feature_scenes.h"
#include "tests/kernels/mesh/closed_meshes.h"

#include <cmath>
#include <numbers>

namespace helioray::test::receiver_scenes {

using kernels::SurfaceRecord;
using kernels::Vec;

/// Adds a surface of a receiver, whose map is a target of its own. axes: rows of its rotation.
inline SurfaceRecord& add_surface(Scene& scene,
                                  kernels::TargetRecord shape,
                                  const float (&axes)[9],
                                  const Vec<float>& origin,
                                  float radius) {
    shape.in_receiver = 1;
    SurfaceRecord record{};
    record.shape = shape;
    for (int k = 0; k < 9; ++k) record.rotation[k] = axes[k];
    record.origin[0] = origin.x;
    record.origin[1] = origin.y;
    record.origin[2] = origin.z;
    record.radius = radius;
    record.target = static_cast<int32_t>(scene.targets.size());
    record.is_absorber = 1;
    record.optics = {1.0f, -1.0f, 0.0f, 0.0f};
    scene.targets.push_back(shape);
    scene.surfaces.push_back(record);
    return scene.surfaces.back();
}

/// Adds a rectangle with its front along n.
inline SurfaceRecord& add_panel(Scene& scene,
                                const Vec<float>& origin,
                                const Vec<float>& right,
                                const Vec<float>& up,
                                float width,
                                float height) {
    const Vec<float> n = cross(right, up);
    return add_surface(scene,
                       plane(width, height),
                       {right.x, right.y, right.z, up.x, up.y, up.z, n.x, n.y, n.z},
                       origin,
                       0.5f * std::hypot(width, height) + 1e-3f);
}

/// Adds a mesh that lies in a sphere about its origin. The maps must have a pixel for each
/// triangle.
inline SurfaceRecord& add_mesh(Scene& scene,
                               const Triangles& triangles,
                               const Vec<float>& origin,
                               float radius,
                               kernels::MeshFront front = kernels::MeshFront::normals) {
    SceneMesh mesh;
    mesh.tree = kernels::build_mesh(triangles);
    mesh.front = front;
    for (const kernels::MeshCorners& corners : triangles) {
        const auto corner = [&](size_t i) {
            return Vec<float>{corners[i][0], corners[i][1], corners[i][2]};
        };
        const Vec<float> across = cross(corner(1) - corner(0), corner(2) - corner(0));
        const float length = std::sqrt(dot(across, across));
        // No ray meets a triangle without area.
        const Vec<float> normal = length > 0.0f ? scaled(1.0f / length, across) : across;
        mesh.planes.insert(mesh.planes.end(),
                           {normal.x, normal.y, normal.z, dot(normal, corner(0))});
    }
    kernels::TargetRecord shape = plane(1.0f, 1.0f);
    shape.kind = kernels::TargetKind::mesh;
    shape.mesh = static_cast<int32_t>(scene.meshes.size());
    scene.meshes.push_back(std::move(mesh));
    return add_surface(scene, shape, {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin, radius + 1e-3f);
}

/// Adds panels around the y axis from one angle to another, which are seen from left to right by an
/// observer before their fronts. Angle 0 is the z axis, along which the heliostats are.
inline void add_ring(Scene& scene,
                     int count,
                     float radius,
                     float height,
                     float middle,
                     double first,
                     double arc,
                     bool inwards) {
    const double step = arc / count;
    const auto apothem = static_cast<float>(radius * std::cos(0.5 * step));
    const auto width = static_cast<float>(2.0 * radius * std::sin(0.5 * step));
    for (int i = 0; i < count; ++i) {
        const double turn = (i + 0.5) * step;
        const double angle = inwards ? first - turn : first + turn;
        const Vec<float> out{
            static_cast<float>(std::sin(angle)), 0.0f, static_cast<float>(std::cos(angle))};
        const Vec<float> up{0.0f, 1.0f, 0.0f};
        const Vec<float> right = cross(up, inwards ? scaled(-1.0f, out) : out);
        add_panel(scene, {apothem * out.x, middle, apothem * out.z}, right, up, width, height);
    }
}

/// Removes the target.
inline void clear_targets(FeatureScene& f) {
    f.scene.targets.clear();
    f.scene.surfaces.clear();
    f.scene.meshes.clear();
}

/// A polygon of panels with a heat shield above and one below.
inline void use_polygon(FeatureScene& f, int panels) {
    clear_targets(f);
    add_ring(f.scene, panels, 2.0f, 2.5f, 0.0f, 0.0, 2.0 * std::numbers::pi, false);
    for (const float side : {1.0f, -1.0f})
        add_panel(f.scene, {0.0f, 2.0f * side, 2.1f}, {1, 0, 0}, {0, 1, 0}, 6.0f, 1.4f)
            .is_absorber = 0;
}

/// A cavity with walls of eight panels, a floor and a ceiling with outlines, and lips before them.
inline void use_cavity(FeatureScene& f) {
    clear_targets(f);
    const double arc = 1.2 * std::numbers::pi;
    add_ring(f.scene, 8, 2.2f, 3.0f, 0.0f, std::numbers::pi + 0.5 * arc, arc, true);
    for (const float side : {1.0f, -1.0f}) {
        SurfaceRecord& lid = add_panel(
            f.scene, {0.0f, 1.5f * side, 0.0f}, {1, 0, 0}, {0, 0, -side * -1.0f}, 4.5f, 4.5f);
        // An octagon: |x| + |y| <= 0.7 in widths and heights, besides the rectangle.
        lid.shape.edges = static_cast<int64_t>(f.scene.floats.size());
        lid.shape.num_edges = 4;
        for (const float a : {1.0f, -1.0f}) {
            for (const float b : {1.0f, -1.0f})
                f.scene.floats.insert(f.scene.floats.end(), {a, b, 0.7f});
        }
        add_panel(f.scene, {0.0f, 2.0f * side, 1.5f}, {1, 0, 0}, {0, 1, 0}, 5.0f, 1.0f)
            .is_absorber = 0;
    }
}

/// One surface of each round kind, and a disc.
inline void use_round_surfaces(FeatureScene& f) {
    clear_targets(f);
    const float upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const float facing[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};  // their axis is y
    constexpr double kTurn = 2.0 * std::numbers::pi;
    add_surface(f.scene,
                kernels::cylinder_record(1.0, 2.0, kTurn, false),
                facing,
                {0.0f, 0.0f, 0.0f},
                1.5f);
    add_surface(f.scene,
                kernels::cone_record(1.2, 0.4, 1.0, kTurn, false, 5.0, 1.3),
                facing,
                {-1.6f, 1.0f, 0.5f},
                1.4f);
    add_surface(f.scene,
                kernels::sphere_record(0.8, -0.5, 0.8, kTurn, false),
                facing,
                {1.8f, 0.8f, 0.2f},
                0.9f);
    add_surface(f.scene,
                kernels::annulus_record(1.0, 0.4, kTurn, 4.4, 0.6),
                upright,
                {0.5f, -1.8f, 1.0f},
                1.1f);
    add_surface(f.scene, kernels::disc_record(1.5), upright, {-1.8f, -1.2f, 0.3f}, 1.6f)
        .is_absorber = 0;
    add_panel(f.scene, {0.0f, 0.0f, -2.0f}, {-1, 0, 0}, {0, 1, 0}, 9.0f, 9.0f);
}

/// More tiles than tables have room for, in layers one behind the other.
inline void use_many_tiles(FeatureScene& f) {
    clear_targets(f);
    for (int i = 0; i < 150; ++i) {
        const float x = 0.45f * static_cast<float>(i % 10 - 5) + 0.1f * static_cast<float>(i / 50);
        const float y = 0.8f * static_cast<float>(i / 10 % 5 - 2);
        const float tilt = 0.1f * static_cast<float>(i % 3);
        const Vec<float> right{std::cos(tilt), 0.0f, std::sin(tilt)};
        add_panel(f.scene,
                  {x, y, -1.0f * static_cast<float>(i / 50)},
                  i % 7 == 0 ? scaled(-1.0f, right) : right,
                  {0, 1, 0},
                  0.4f,
                  0.7f)
            .is_absorber = i % 5 == 0 ? 0 : 1;
    }
}

/// Meshes with light on either side, one of them a shield, before a panel.
inline void use_meshes(FeatureScene& f) {
    clear_targets(f);
    using kernels::MeshFront;
    add_mesh(f.scene, sphere(14, 1.2), {-1.3f, 0.9f, 0.4f}, 1.2f);
    add_mesh(f.scene, box(4, 0.7), {1.4f, 0.6f, 0.3f}, 1.3f, MeshFront::reversed);
    add_mesh(f.scene, cylinder(16, 0.8, 1.0), {0.4f, -1.2f, 0.9f}, 1.3f, MeshFront::both);
    add_mesh(f.scene, sphere(8, 0.6), {-1.5f, -1.6f, 1.1f}, 0.6f).is_absorber = 0;
    add_panel(f.scene, {0.0f, 0.0f, -2.0f}, {1, 0, 0}, {0, 1, 0}, 9.0f, 9.0f);
}

/// The far half of a sphere of many triangles that is lit inside, with a shield of triangles in it.
inline void use_mesh_cavity(FeatureScene& f) {
    clear_targets(f);
    constexpr int kCells = 40;
    const Triangles half = grid(kCells, kCells, [](int i, int j) {
        const double angle = 2.0 * std::numbers::pi * (i % kCells) / kCells;
        const double polar = std::numbers::pi * (1.0 - 0.55 * (kCells - j) / kCells);
        const double across = 2.5 * std::sin(polar);
        return Point{across * std::cos(angle), across * std::sin(angle), 2.5 * std::cos(polar)};
    });
    add_mesh(f.scene, half, {0.0f, 0.0f, 0.5f}, 2.5f);
    add_mesh(f.scene, cylinder(20, 0.5, 0.7), {0.3f, -0.4f, -0.2f}, 0.9f).is_absorber = 0;
    f.scene.width = 61;
    f.scene.height = 59;
}

/// Adds mirrors and bodies before the surfaces of a scene.
inline void use_occlusion(FeatureScene& f) {
    feature_scenes::use_occlusion(f);
    // Every target has the bodies in its own frame.
    const auto bodies = f.obstacles;
    for (size_t i = 1; i < f.scene.targets.size(); ++i)
        f.obstacles.insert(f.obstacles.end(), bodies.begin(), bodies.end());
}

/// Makes the absorbers of a scene reflect.
inline void reflect(FeatureScene& f,
                    float absorptance,
                    float specular_fraction,
                    float bounces,
                    int32_t rays_per_carrier) {
    f.scene.reflects = true;
    f.scene.rays_per_carrier = rays_per_carrier;
    for (SurfaceRecord& surface : f.scene.surfaces)
        surface.optics = {absorptance, -1.0f, specular_fraction, bounces};
}

/// Makes the absorptance of every second surface fall with the angle of incidence.
inline void use_absorptance_table(FeatureScene& f) {
    f.scene.absorptance_tables = static_cast<int64_t>(f.scene.floats.size());
    for (int i = 0; i <= kernels::kAbsorptanceTableSize; ++i) {
        const float tangent = static_cast<float>(i) / kernels::kAbsorptanceTableSize;
        f.scene.floats.push_back(0.95f - 0.9f * tangent * tangent);
    }
    for (size_t i = 0; i < f.scene.surfaces.size(); i += 2) f.scene.surfaces[i].optics.table = 0.0f;
}

/// Makes a surface a mirror with slope errors.
inline void use_mirror(FeatureScene& f, size_t surface) {
    kernels::SurfaceOptics& optics = f.scene.surfaces[surface].optics;
    optics.absorptance = 0.1f;
    optics.specular_fraction = 1.0f;
    optics.is_mirror = 1.0f;
    optics.slope_width = 2e-3f;
}

/// Fields with every kind of surface, search, reflection and deposit.
inline std::vector<FeatureScene> all(int64_t pairs, int64_t rays) {
    std::vector<FeatureScene> scenes;
    const auto add = [&](const std::string& name,
                         const std::function<void(FeatureScene&)>& change) {
        FeatureScene f = feature_scenes::plain();
        f.name = name;
        f.scene.width = 19;
        f.scene.height = 23;
        change(f);
        f.scene.plan(pairs, rays);
        scenes.push_back(std::move(f));
    };
    add("polygon of 12 panels", [](FeatureScene& f) { use_polygon(f, 12); });
    add("polygon of 24 panels, bilinear", [](FeatureScene& f) {
        use_polygon(f, 24);
        f.scene.filter = kernels::FilterKind::bilinear;
    });
    add("cavity", use_cavity);
    add("cavity, without culling, maps of heliostats", [](FeatureScene& f) {
        use_cavity(f);
        f.culling = false;
        f.per_heliostat = true;
    });
    add("round surfaces", use_round_surfaces);
    add("150 tiles", use_many_tiles);
    add("polygon of 12 panels, shading and blocking, a surface that shades", [](FeatureScene& f) {
        use_polygon(f, 12);
        add_panel(f.scene, {14.0f, 0.0f, 490.0f}, {-1, 0, 0}, {0, 1, 0}, 4.0f, 9.0f).shades = 1;
        use_occlusion(f);
    });
    add("reflecting cavity", [](FeatureScene& f) {
        use_cavity(f);
        reflect(f, 0.4f, 0.3f, 5.0f, 1);
    });
    add("cavity in which one of four rays carries light on, bilinear", [](FeatureScene& f) {
        use_cavity(f);
        reflect(f, 0.75f, 0.5f, 4.0f, 4);
        f.scene.filter = kernels::FilterKind::bilinear;
        f.per_heliostat = true;
    });
    add("round surfaces that reflect, absorptance by angle, a mirror", [](FeatureScene& f) {
        use_round_surfaces(f);
        reflect(f, 0.6f, 1.0f, 3.0f, 2);
        use_absorptance_table(f);
        use_mirror(f, 5);
    });
    add("150 tiles that reflect, shading and blocking", [](FeatureScene& f) {
        use_many_tiles(f);
        reflect(f, 0.9f, 0.0f, 2.0f, 8);
        use_occlusion(f);
    });
    add("meshes", use_meshes);
    add("meshes, shading and blocking, maps of heliostats", [](FeatureScene& f) {
        use_meshes(f);
        use_occlusion(f);
        f.per_heliostat = true;
    });
    add("a mesh beyond 150 tiles", [](FeatureScene& f) {
        use_many_tiles(f);
        add_mesh(f.scene, sphere(14, 1.2), {0.2f, 0.1f, 0.7f}, 1.2f);
    });
    add("meshes that reflect, absorptance by angle, a mirror", [](FeatureScene& f) {
        use_meshes(f);
        reflect(f, 0.6f, 0.4f, 3.0f, 2);
        use_absorptance_table(f);
        use_mirror(f, 4);
    });
    add("cavity of 3,200 triangles that reflect, shading and blocking", [](FeatureScene& f) {
        use_mesh_cavity(f);
        reflect(f, 0.4f, 0.3f, 4.0f, 1);
        use_occlusion(f);
    });
    return scenes;
}

}  // namespace helioray::test::receiver_scenes
