// SPDX-License-Identifier: MIT
// Meshes as surfaces of receivers, against the analytic surfaces in which their triangles are
// inscribed, against the same surfaces as panels, and against closed forms of reflection.
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mesh_statistics.h"
#include "scenario/receivers/shapes.h"
#include "tests/raytracer/tracing/physical/records/receiver_beam.h"

#include <cmath>
#include <functional>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kRaysOnMeshes = 100'000;
using Front = MeshTarget::Front;

/// Triangles on a grid of columns x rows over a surface; counter-clockwise from outside.
std::vector<MeshTriangle> grid(int columns,
                               int rows,
                               const std::function<Vec3(int column, int row)>& at) {
    std::vector<MeshTriangle> triangles;
    for (int i = 0; i < columns; ++i) {
        for (int j = 0; j < rows; ++j) {
            const Vec3 a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
            if (a != b) triangles.push_back({a, b, c});
            if (c != d) triangles.push_back({a, c, d});
        }
    }
    return triangles;
}

std::vector<MeshTriangle> sphere(int n, double radius) {
    return grid(n, n / 2, [=](int i, int j) {
        const double angle = 2.0 * std::numbers::pi * (i % n) / n;
        const double latitude = std::numbers::pi * (static_cast<double>(j) / (n / 2) - 0.5);
        const bool is_pole = j == 0 || j == n / 2;
        const double across = is_pole ? 0.0 : radius * std::cos(latitude);
        return Vec3{
            across * std::cos(angle), across * std::sin(angle), radius * std::sin(latitude)};
    });
}

/// The shell of an upright cylinder of strips.
std::vector<MeshTriangle> shell(int strips, double radius, double height) {
    return grid(strips, 1, [=](int i, int j) {
        const double angle = 2.0 * std::numbers::pi * (i % strips) / strips;
        return Vec3{radius * std::cos(angle), radius * std::sin(angle), (j - 0.5) * height};
    });
}

/// A flat rectangle of triangles that faces the south, from (x, z) = low to high at the distance y.
std::vector<MeshTriangle> wall(double y, double half, int cells) {
    return grid(cells, cells, [=](int i, int j) {
        return Vec3{half * (2.0 * i / cells - 1.0), y, half * (2.0 * j / cells - 1.0)};
    });
}

Scene lit(const std::vector<Target>& surfaces) {
    // Rays of a bundle share their mirror point, so shares of the beam need more of them.
    Scene scene = beam(surfaces, 8 * kRaysOnMeshes);
    scene.config.bitmap.width = scene.config.bitmap.height = 64;
    return scene;
}

/// Four standard errors of a lit area.
double mesh_tolerance(double area) {
    return kBeam * four_errors(area / kBeam, kRaysOnMeshes);
}

/// Checks that the flux of all triangles is the power, and that the terms add up.
void check_mesh_balance(const RunResult& result) {
    double on_absorbers = 0.0;
    for (const TargetResult& target : result.targets) {
        if (target.target.use == SurfaceUse::absorber) on_absorbers += target.power_w;
        const auto areas = mesh_pixel_areas(target.target, target.width * target.height);
        if (areas.empty()) continue;
        double sum = 0.0;
        for (size_t p = 0; p < areas.size(); ++p) sum += target.flux[p] * areas[p];
        CHECK(sum == Approx(target.power_w).epsilon(1e-9).margin(1e-9));
    }
    CHECK(std::abs(imbalance(total_energy(result))) < 1e-12);
    CHECK(on_absorbers == Approx(total_energy(result).target_power).epsilon(1e-9).margin(1e-9));
}

}  // namespace

TEST_CASE("inscribed meshes of a sphere and a cylinder converge to the light of these surfaces") {
    // Seen from the side, a polygon of n corners is narrower than its circle by a mean of
    // 1 - sin(pi / n) / (pi / n) or less.
    for (const int n : {8, 16, 32}) {
        const RunResult result =
            run(lit({surface("ball", make_mesh(sphere(n, 1.5), Front::normals))}));
        check_mesh_balance(result);
        const double disc = std::numbers::pi * 2.25;
        const double lost = disc - lit_area(result, "ball");
        CHECK(lost > -mesh_tolerance(disc));
        CHECK(lost < 1.3 * disc * 2.0 * std::numbers::pi * std::numbers::pi / (3.0 * n * n) +
                         mesh_tolerance(disc));
        const RunResult round =
            run(lit({surface("drum", make_mesh(shell(n, 1.5, 2.0), Front::normals))}));
        check_mesh_balance(round);
        // Corners lie to the east and west.
        CHECK(std::abs(lit_area(round, "drum") - 6.0) < mesh_tolerance(6.0));
    }
}

TEST_CASE("each triangle has the flux of its own incidence") {
    // The flux on a sphere in an even beam is that of the cosine.
    Scene scene = lit({surface("ball", make_mesh(sphere(16, 1.5), Front::normals))});
    scene.config.tracing.rays_per_heliostat = 32 * kRaysOnMeshes;
    const RunResult result = run(scene);
    const TargetResult& ball = find(result, "ball");
    const auto& mesh = std::get<MeshTarget>(ball.target.geometry);
    const double beam_flux = reflected(result) / kBeam;
    double squares = 0.0;
    int lit = 0;
    for (size_t i = 0; i < mesh.triangles->size(); ++i) {
        const MeshTriangle& t = (*mesh.triangles)[i];
        const Vec3 across = cross(subtract(t[1], t[0]), subtract(t[2], t[0]));
        const double cosine = -normalized(across)[1];
        if (cosine <= 0.0) {
            CHECK(ball.flux[i] == 0.0);
            continue;
        }
        ++lit;
        const double error = std::max(ball.flux_std_error[i], 1e-4 * beam_flux);
        const double deviation = (ball.flux[i] - beam_flux * cosine) / error;
        CHECK(std::abs(deviation) < 8.0);
        squares += deviation * deviation;
    }
    CHECK(lit > 50);
    CHECK(squares / lit < 3.0);
    for (size_t i = mesh.triangles->size(); i < ball.flux.size(); ++i) CHECK(ball.flux[i] == 0.0);
    CHECK(ball.peak_flux_w_m2 == Approx(0.97 * beam_flux).epsilon(0.06));
    CHECK(ball.centroid_m[1] < -0.5);
    CHECK(std::abs(ball.centroid_m[0]) < 0.1);
}

TEST_CASE("the nearest of meshes and other surfaces takes the light, from the front only") {
    const Target plane = surface("plane", PlanarTarget{{0, 1, 0}, {0, -1, 0}, 8.0, 8.0});
    // The corners of wall() are counter-clockwise from the south.
    const RunResult front =
        run(lit({surface("wall", make_mesh(wall(0.0, 1.0, 5), Front::normals)), plane}));
    check_mesh_balance(front);
    CHECK(std::abs(lit_area(front, "wall") - 4.0) < mesh_tolerance(4.0));
    CHECK(std::abs(lit_area(front, "plane") - 12.0) < mesh_tolerance(12.0));
    const RunResult behind =
        run(lit({surface("wall", make_mesh(wall(2.0, 1.0, 5), Front::normals)), plane}));
    CHECK(find(behind, "wall").power_w == 0.0);
    CHECK(std::abs(lit_area(behind, "plane") - 16.0) < 1e-9);

    const RunResult back =
        run(lit({surface("wall", make_mesh(wall(0.0, 1.0, 5), Front::reversed)), plane}));
    check_mesh_balance(back);
    CHECK(find(back, "wall").power_w == 0.0);
    const double lost = kBeam * total_energy(back).shield_loss / reflected(back);
    CHECK(std::abs(lost - 4.0) < mesh_tolerance(4.0));
    const RunResult both =
        run(lit({surface("wall", make_mesh(wall(0.0, 1.0, 5), Front::both)), plane}));
    CHECK(find(both, "wall").power_w == find(front, "wall").power_w);

    const RunResult shield =
        run(lit({surface("wall", make_mesh(wall(0.0, 1.0, 5), Front::normals), SurfaceUse::shield),
                 plane}));
    check_mesh_balance(shield);
    CHECK(find(shield, "wall").power_w == find(front, "wall").power_w);
}

TEST_CASE("a mesh receives what a plane receives, ray by ray, whatever the threads") {
    // Edges of triangles let no ray pass.
    Scene planes = lit({surface("plane", PlanarTarget{{0, 0, 0}, {0, -1, 0}, 2.0, 2.0})});
    Scene meshes = lit({surface("mesh", make_mesh(wall(0.0, 1.0, 7), Front::normals))});
    const RunResult result = run(meshes);
    const RunResult three = run(meshes, 3);
    CHECK(find(result, "mesh").flux == find(three, "mesh").flux);
    CHECK(find(result, "mesh").power_w == Approx(find(run(planes), "plane").power_w).epsilon(1e-3));
}

TEST_CASE("a mesh reflects as its panels do") {
    // Two panels at a right angle with a vertical edge, in a beam along their bisector.
    const auto panels = [](double absorptance, double specular) {
        const double half = std::sqrt(0.5);
        Target left = surface("left", PlanarTarget{{-half, -half, 0}, {half, -half, 0}, 2.0, 2.0});
        Target right =
            surface("right", PlanarTarget{{half, -half, 0}, {-half, -half, 0}, 2.0, 2.0});
        left.absorption = right.absorption = SurfaceAbsorption{
            .absorptance = absorptance, .specular_fraction = specular, .bounces = 4};
        return std::vector<Target>{left, right};
    };
    const auto mesh = [](double absorptance, double specular, Front front) {
        const double edge = std::sqrt(2.0);
        const double sign = front == Front::reversed ? -1.0 : 1.0;
        const auto strip = [&](double from, double to) {
            return grid(3, 2, [=](int i, int j) {
                const double share = sign > 0.0 ? i / 3.0 : 1.0 - i / 3.0;
                const double x = from + share * (to - from);
                return Vec3{x, -std::abs(x), j - 1.0};
            });
        };
        std::vector<MeshTriangle> triangles = strip(-edge, 0.0);
        for (const MeshTriangle& t : strip(0.0, edge)) triangles.push_back(t);
        Target target = surface("mesh", make_mesh(triangles, front));
        target.absorption = SurfaceAbsorption{
            .absorptance = absorptance, .specular_fraction = specular, .bounces = 4};
        return target;
    };
    for (const double specular : {1.0, 0.0}) {
        const RunResult flat = run(lit(panels(0.6, specular)));
        const double expected = total_energy(flat).target_power / reflected(flat);
        for (const Front front : {Front::normals, Front::reversed, Front::both}) {
            const RunResult result = run(lit({mesh(0.6, specular, front)}));
            check_mesh_balance(result);
            const double absorbed = total_energy(result).target_power / reflected(result);
            CHECK(std::abs(absorbed - expected) < 1.5 * four_errors(expected, kRaysOnMeshes));
            const EnergyTerms one = total_energy(result), other = total_energy(flat);
            CHECK(std::abs(one.escape_loss / reflected(result) -
                           other.escape_loss / reflected(flat)) <
                  1.5 * four_errors(0.3, kRaysOnMeshes));
            CHECK(one.shield_loss / reflected(result) < 1e-5);
            CHECK(one.reflected_shield_loss / reflected(result) < 1e-5);
        }
    }
    // Each ray along the bisector is reflected twice: 0.6 + 0.4 * 0.6.
    const RunResult twice = run(lit({mesh(0.6, 1.0, Front::normals)}));
    const double on_mesh = 2.0 * std::sqrt(2.0) * 2.0 / kBeam;
    CHECK(std::abs(total_energy(twice).target_power / reflected(twice) - 0.84 * on_mesh) <
          four_errors(on_mesh, kRaysOnMeshes));
}

TEST_CASE("a cavity of panels absorbs what the same cavity as a mesh absorbs") {
    ReceiverConfig config;
    config.type = ReceiverConfig::Type::cavity;
    config.azimuth = std::numbers::pi;
    config.panels = 7;
    config.radius = 2.5;
    config.height = 4.0;
    config.aperture_width = 3.5;
    config.lip_top = config.lip_bottom = 0.5;
    config.absorptance = 0.5;
    config.bounces = 20;
    config.specular_fraction = 0.3;
    const std::vector<Target> panels = make_receiver("tower", config).targets;
    std::vector<MeshTriangle> triangles;
    std::vector<Target> surfaces;
    for (const Target& panel : panels) {
        if (panel.use == SurfaceUse::shield) {
            surfaces.push_back(panel);
            continue;
        }
        const auto& plane = std::get<PlanarTarget>(panel.geometry);
        const double x = 0.5 * plane.width, y = 0.5 * plane.height;
        Outline corners = panel.outline;
        if (corners.empty()) corners = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
        const auto at = [&](size_t i) {
            return surface_point(panel, corners[i][0], corners[i][1]);
        };
        for (size_t i = 2; i < corners.size(); ++i) triangles.push_back({at(0), at(i - 1), at(i)});
    }
    Target mesh = surface("tower_mesh", make_mesh(triangles, Front::normals));
    mesh.absorption = panels.front().absorption;
    for (const Target& panel : panels)
        if (panel.absorption) mesh.absorption = panel.absorption;
    surfaces.insert(surfaces.begin(), mesh);
    const RunResult flat = run(lit(panels));
    const RunResult result = run(lit(surfaces));
    check_mesh_balance(result);
    const EnergyTerms one = total_energy(result), other = total_energy(flat);
    CHECK(one.target_power > 0.3 * reflected(result));
    for (double EnergyTerms::*term : {&EnergyTerms::target_power,
                                      &EnergyTerms::escape_loss,
                                      &EnergyTerms::shield_loss,
                                      &EnergyTerms::reflected_shield_loss}) {
        const double share = other.*term / reflected(flat);
        CHECK(std::abs(one.*term / reflected(result) - share) <
              std::sqrt(2.0) * four_errors(share, kRaysOnMeshes));
    }
}

TEST_CASE("no light that starts in a mesh passes its edges") {
    // The northern half of a sphere is a bowl that is open to the beam.
    std::vector<MeshTriangle> bowl;
    for (const MeshTriangle& t : sphere(24, 3.5))
        if (t[0][1] + t[1][1] + t[2][1] > 0.0) bowl.push_back(t);
    Target target = surface("bowl", make_mesh(bowl, Front::reversed));
    target.absorption =
        SurfaceAbsorption{.absorptance = 0.5, .specular_fraction = 0.0, .bounces = 100};
    const RunResult result = run(lit({target}));
    check_mesh_balance(result);
    const EnergyTerms energy = total_energy(result);
    CHECK(energy.shield_loss == 0.0);
    CHECK(energy.reflected_shield_loss == 0.0);
    CHECK(energy.spillage_loss == 0.0);
    CHECK(energy.bounce_limit_loss < 1e-9 * energy.target_power);
    // Diffuse grey walls with an aperture of half the sphere: a / (1 - (1 - a)(1 - f)).
    const double expected = 0.5 / (1.0 - 0.5 * 0.5);
    CHECK(std::abs(energy.target_power / reflected(result) - expected) <
          four_errors(expected, kRaysOnMeshes) + 0.004);
}

TEST_CASE("a mesh needs a pixel for each triangle, and pixels that share no light") {
    Scene scene = lit({surface("ball", make_mesh(sphere(16, 1.5), Front::normals))});
    scene.config.bitmap.width = scene.config.bitmap.height = 8;
    CHECK_THROWS_WITH(run(scene), ContainsSubstring("fewer pixels than a mesh has triangles"));
    scene.config.bitmap.width = scene.config.bitmap.height = 64;
    scene.config.bitmap.filter = Filter::bilinear;
    CHECK_THROWS_WITH(run(scene), ContainsSubstring("bitmap.filter"));
}
