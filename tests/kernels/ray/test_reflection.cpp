// SPDX-License-Identifier: MIT
// Light that surfaces of receivers reflect, against closed forms: view factors of a cube, two
// specular panels, diffuse cavities; and the same bits for every instruction set.
#include "kernels/core/instruction_set.h"
#include "kernels/core/sums_layout.h"
#include "kernels/ray/reflection.h"
#include "kernels/receiver/concentrator.h"
#include "kernels/receiver/cylinder.h"
#include "kernels/receiver/disc.h"
#include "kernels/receiver/sphere.h"
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace helioray::kernels;
using helioray::test::Scene;

namespace {

struct Power {
    int64_t arriving = 0;  ///< on fronts of absorbers, shields and backs before any reflection
    int64_t absorbed = 0;
    int64_t shielded = 0;  ///< before a reflection
    std::array<int64_t, kNumReflectedSums> reflected{};

    double part(int64_t quanta) const {
        return static_cast<double>(quanta) / static_cast<double>(arriving - shielded);
    }
};

/// Surfaces of receivers lit by square beams of parallel light.
struct ReceiverScene {
    Scene scene;
    std::vector<SurfaceRecord> surfaces;
    int32_t rays_per_carrier = 1;
    std::vector<float> tables;

    ReceiverScene() { scene.width = scene.height = 8; }

    /// Adds a surface around a point, with the row-major rotation from the shared frame.
    void add(const TargetRecord& shape,
             const std::array<float, 9>& rotation,
             const std::array<float, 3>& origin,
             const SurfaceOptics& optics,
             bool is_absorber = true) {
        SurfaceRecord record{};
        record.shape = shape;
        record.shape.in_receiver = 1;
        std::copy(rotation.begin(), rotation.end(), record.rotation);
        std::copy(origin.begin(), origin.end(), record.origin);
        record.radius = std::hypot(shape.width, shape.height) + shape.radius;
        record.target = static_cast<int32_t>(surfaces.size());
        record.is_absorber = is_absorber ? 1 : 0;
        record.optics = optics;
        surfaces.push_back(record);
        scene.targets.push_back(record.shape);
    }

    /// Adds a rectangle that faces a direction; the first axis is perpendicular to it and `up`.
    void add_plane(const std::array<float, 3>& center,
                   const std::array<float, 3>& normal,
                   const std::array<float, 3>& up,
                   float width,
                   float height,
                   const SurfaceOptics& optics) {
        const auto& n = normal;
        const std::array<float, 3> x{
            up[1] * n[2] - up[2] * n[1], up[2] * n[0] - up[0] * n[2], up[0] * n[1] - up[1] * n[0]};
        add(plane_record(width, height),
            {x[0], x[1], x[2], up[0], up[1], up[2], n[0], n[1], n[2]},
            center,
            optics);
    }

    /// Adds a beam along a unit direction, whose middle passes through a point.
    void add_beam(const std::array<double, 3>& to,
                  const std::array<double, 3>& middle,
                  float side) {
        const Vec<double> n{to[0], to[1], to[2]};
        Vec<double> t1, t2;
        tangent_basis(n, t1, t2);
        const auto f = [](double x) { return static_cast<float>(x); };
        const float rotation[9] = {
            f(t1.x), f(t2.x), f(n.x), f(t1.y), f(t2.y), f(n.y), f(t1.z), f(t2.z), f(n.z)};
        const float position[3] = {
            f(middle[0] - 50.0 * to[0]), f(middle[1] - 50.0 * to[1]), f(middle[2] - 50.0 * to[2])};
        const float sun[3] = {f(to[0]), f(to[1]), f(to[2])};
        HeliostatRecord h = helioray::test::heliostat(rotation, position, sun);
        h.random_id = static_cast<uint32_t>(scene.heliostats.size());
        scene.facets = {
            helioray::test::analytic_facet(FacetKind::flat, 0.5f * side, 0.5f * side, 0.0f)};
        scene.heliostats.push_back(h);
    }

    FieldView view() const {
        FieldView view = scene.view();
        view.floats = tables.data();
        view.sizes.floats = std::ssize(tables);
        view.surfaces = surfaces.data();
        view.num_surfaces = static_cast<int32_t>(surfaces.size());
        view.reflects = 1;
        view.rays_per_carrier = rays_per_carrier;
        view.absorptance_tables = tables.empty() ? -1 : 0;
        return view;
    }

    SumsLayout layout() const {
        return {.num_targets = std::ssize(surfaces),
                .num_heliostats = std::ssize(scene.heliostats),
                .height = scene.height,
                .width = scene.width,
                .differences = true,
                .receivers = true,
                .num_incident = std::ssize(surfaces)};
    }

    std::vector<int64_t> trace(int threads = 2,
                               InstructionSet set = InstructionSet::automatic) const {
        std::vector<int64_t> sums(static_cast<size_t>(layout().total_size()), 0);
        CpuOptions options;
        options.num_threads = threads;
        options.instruction_set = set;
        trace_flux_cpu(view(),
                       scene.units.data(),
                       std::ssize(scene.units),
                       layout().view(sums.data()),
                       options);
        return sums;
    }

    int64_t on_map(const std::vector<int64_t>& sums, int64_t map) const {
        const int64_t pixels = layout().height * layout().width;
        return std::accumulate(
            sums.begin() + map * pixels, sums.begin() + (map + 1) * pixels, int64_t{0});
    }

    /// Adds up the power of all beams; checks that all quanta are accounted for and that the maps
    /// have them.
    Power power(const std::vector<int64_t>& all) const {
        std::vector<int64_t> sums = all;
        const SumsView view = layout().view(sums.data());
        Power power;
        int64_t unblocked = 0;
        for (size_t i = 0; i < scene.heliostats.size(); ++i) {
            power.absorbed += view.energy[i * kNumEnergySums + kDeliveredSum];
            unblocked += view.energy[i * kNumEnergySums + kUnblockedSum];
            power.shielded += view.shielded[i];
            for (size_t k = 0; k < kNumReflectedSums; ++k)
                power.reflected[k] += view.reflected[i * kNumReflectedSums + k];
        }
        power.arriving =
            power.absorbed + power.shielded +
            std::accumulate(power.reflected.begin(), power.reflected.end(), int64_t{0});
        CHECK(power.arriving <= unblocked);
        int64_t absorbed = 0;
        int64_t incident = 0;
        for (int64_t s = 0; s < std::ssize(surfaces); ++s) {
            if (surfaces[static_cast<size_t>(s)].is_absorber == 0) continue;
            absorbed += on_map(sums, s);
            incident += on_map(sums, std::ssize(surfaces) + s);
        }
        CHECK(absorbed == power.absorbed);
        CHECK(incident >= power.arriving - power.shielded);
        return power;
    }
};

SurfaceOptics gray(double absorptance, double specular_fraction, int bounces) {
    return {static_cast<float>(absorptance),
            -1.0f,
            static_cast<float>(specular_fraction),
            static_cast<float>(bounces)};
}

double four_errors(double part, double rays) {
    return 4.0 * std::sqrt(part * (1.0 - part) / rays);
}

/// A cube of edge 1 without its side at y = 0, into which the beam falls along y; the back is white
/// and diffuse, the other sides are black.
ReceiverScene open_cube() {
    ReceiverScene cube;
    cube.add_plane({0, 1, 0}, {0, -1, 0}, {0, 0, 1}, 1, 1, gray(0.0, 0.0, 1));
    const SurfaceOptics black = gray(1.0, 0.0, 0);
    cube.add_plane({0.5f, 0.5f, 0}, {-1, 0, 0}, {0, 0, 1}, 1, 1, black);
    cube.add_plane({-0.5f, 0.5f, 0}, {1, 0, 0}, {0, 0, 1}, 1, 1, black);
    cube.add_plane({0, 0.5f, 0.5f}, {0, 0, -1}, {0, 1, 0}, 1, 1, black);
    cube.add_plane({0, 0.5f, -0.5f}, {0, 0, 1}, {0, 1, 0}, 1, 1, black);
    cube.add_beam({0, 1, 0}, {0, 0, 0}, 1.0f);
    return cube;
}

/// A cylinder with a base and an open end at the top, of radius and length 1, lit diffusely.
ReceiverScene open_cylinder(double absorptance, int bounces) {
    ReceiverScene cavity;
    const std::array<float, 9> upright{1, 0, 0, 0, 1, 0, 0, 0, 1};
    const SurfaceOptics optics = gray(absorptance, 0.0, bounces);
    cavity.add(cylinder_record(1.0, 1.0, 2.0 * std::numbers::pi, true), upright, {0, 0, 0}, optics);
    cavity.add(disc_record(1.0), upright, {0, 0, -0.5f}, optics);
    // Parallel light from all directions of a hemisphere is diffuse in the plane of the aperture.
    constexpr int kBeams = 512;
    for (int i = 0; i < kBeams; ++i) {
        const double down = (i + 0.5) / kBeams;
        const double across = std::sqrt(1.0 - down * down);
        const double turn = std::numbers::pi * (1.0 + std::sqrt(5.0)) * i;
        cavity.add_beam(
            {across * std::cos(turn), across * std::sin(turn), -down}, {0, 0, 0.5}, 2.0f);
    }
    return cavity;
}

}  // namespace

TEST_CASE("diffuse light of a cube's side follows its view factors") {
    ReceiverScene cube = open_cube();
    cube.scene.plan(64, 1 << 14);
    const auto rays = static_cast<double>(cube.scene.rays);
    for (const int32_t rays_per_carrier : {1, 4}) {
        cube.rays_per_carrier = rays_per_carrier;
        const std::vector<int64_t> sums = cube.trace();
        const Power power = cube.power(sums);
        const double carriers = rays / rays_per_carrier;
        CHECK(std::abs(power.part(power.reflected[kEscapedSum]) - 0.19982490) <
              four_errors(0.2, carriers));
        for (int64_t side = 1; side < 5; ++side)
            CHECK(std::abs(power.part(cube.on_map(sums, side)) - 0.20004378) <
                  four_errors(0.2, carriers));
        CHECK(power.part(power.reflected[kReflectedShieldSum]) < 1e-5);
        CHECK(power.reflected[kBounceLimitSum] == 0);
        CHECK(cube.on_map(sums, 0) == 0);
        CHECK(cube.on_map(sums, 5) == power.arriving - power.shielded);
    }
}

TEST_CASE("two specular panels at a right angle absorb what a closed form says") {
    for (const double r : {0.2, 0.5, 0.9}) {
        for (const double degrees : {0.0, 10.0, 30.0}) {
            // The bisector of the panels points down, the light comes from below.
            ReceiverScene panels;
            const SurfaceOptics mirror = gray(1.0 - r, 1.0, 5);
            const auto s = static_cast<float>(std::numbers::sqrt2 / 2.0);
            panels.add_plane({-0.5f * s, 0, -0.5f * s}, {s, 0, -s}, {0, 1, 0}, 1, 40, mirror);
            panels.add_plane({0.5f * s, 0, -0.5f * s}, {-s, 0, -s}, {0, 1, 0}, 1, 40, mirror);
            const double d = degrees * std::numbers::pi / 180.0;
            panels.add_beam({std::sin(d), 0, std::cos(d)}, {0, 0, -s}, 2.0f);
            panels.scene.plan(16, 1 << 13);
            const Power power = panels.power(panels.trace());
            const double expected = 1.0 - r * std::tan(d) - r * r * (1.0 - std::tan(d));
            const double rays = static_cast<double>(panels.scene.rays) * 0.5;
            INFO("r " << r << " angle " << degrees << " got " << power.part(power.absorbed)
                      << " expected " << expected);
            CHECK(std::abs(power.part(power.absorbed) - expected) < four_errors(0.5, rays));
            CHECK(power.reflected[kBounceLimitSum] == 0);
        }
    }
}

TEST_CASE("an open cylinder absorbs as its radiosity says") {
    const std::array<std::array<double, 2>, 3> cases{
        {{0.5, 0.742386}, {0.7, 0.868929}, {0.9, 0.961870}}};
    for (const auto& [absorptance, expected] : cases) {
        ReceiverScene cavity = open_cylinder(absorptance, 200);
        cavity.rays_per_carrier = absorptance > 0.8 ? 8 : 1;
        cavity.scene.plan(2, 1 << 11);
        const Power power = cavity.power(cavity.trace());
        INFO("absorptance " << absorptance << ": " << power.part(power.absorbed) << " expected "
                            << expected << " back "
                            << power.part(power.reflected[kReflectedShieldSum]));
        // A half of the beams' light passes the aperture.
        const double rays = 0.35 * 512.0 * static_cast<double>(cavity.scene.rays);
        CHECK(std::abs(power.part(power.absorbed) - expected) < four_errors(expected, rays));
        CHECK(power.part(power.reflected[kReflectedShieldSum]) < 1e-4);
        CHECK(power.part(power.reflected[kBounceLimitSum]) < 1e-6);
    }
}

TEST_CASE("a diffuse sphere absorbs what its aperture leaves") {
    // With the fraction f of the whole sphere's area open: a / (1 - (1 - a) (1 - f)).
    const std::array<std::array<double, 3>, 2> cases{
        {{0.5, 0.05, 0.95238095}, {0.9, 0.25, 0.97297297}}};
    for (const auto& [absorptance, open, expected] : cases) {
        ReceiverScene cavity;
        const double top = 1.0 - 2.0 * open;
        cavity.add(sphere_record(1.0, -1.0, top, 2.0 * std::numbers::pi, true),
                   {1, 0, 0, 0, 1, 0, 0, 0, 1},
                   {0, 0, 0},
                   gray(absorptance, 0.0, 200));
        cavity.add_beam({0, 0, -1}, {0, 0, top}, 0.3f);
        cavity.scene.plan(64, 1 << 13);
        const Power power = cavity.power(cavity.trace());
        INFO("absorptance " << absorptance << ": " << power.part(power.absorbed) << " expected "
                            << expected);
        CHECK(std::abs(power.part(power.absorbed) - expected) <
              four_errors(expected, static_cast<double>(cavity.scene.rays)));
        CHECK(power.part(power.reflected[kReflectedShieldSum]) < 1e-4);
    }
}

TEST_CASE("light that is left after the last bounce has a sum of its own") {
    ReceiverScene cavity = open_cylinder(0.5, 0);
    cavity.scene.plan(1, 512);
    const Power none = cavity.power(cavity.trace());
    CHECK(none.part(none.absorbed) == Approx(0.5).epsilon(1e-6));
    CHECK(none.part(none.reflected[kBounceLimitSum]) == Approx(0.5).epsilon(1e-6));
    ReceiverScene once = open_cylinder(0.5, 1);
    once.scene.plan(1, 512);
    const Power one = once.power(once.trace());
    CHECK(one.absorbed > none.absorbed);
    // A half of what is absorbed after the reflection is left.
    CHECK(static_cast<double>(one.absorbed - none.absorbed) ==
          Approx(static_cast<double>(one.reflected[kBounceLimitSum])).epsilon(1e-6));
}

TEST_CASE("the absorptance follows a table by the angle of incidence") {
    for (const double degrees : {0.0, 30.0, 60.0, 80.0}) {
        ReceiverScene plate;
        SurfaceOptics optics = gray(0.3, 0.0, 0);
        optics.table = 1.0f;
        // The second table falls linearly with tan(angle / 2).
        plate.tables.assign(2 * (kAbsorptanceTableSize + 1), 0.7f);
        for (int k = 0; k <= kAbsorptanceTableSize; ++k)
            plate.tables[static_cast<size_t>(kAbsorptanceTableSize + 1 + k)] =
                1.0f - 0.5f * static_cast<float>(k) / kAbsorptanceTableSize;
        plate.add_plane({0, 0, 0}, {0, 0, -1}, {0, 1, 0}, 40, 40, optics);
        const double angle = degrees * std::numbers::pi / 180.0;
        plate.add_beam({std::sin(angle), 0, std::cos(angle)}, {0, 0, 0}, 1.0f);
        plate.scene.plan(1, 512);
        const Power power = plate.power(plate.trace());
        CHECK(power.part(power.absorbed) ==
              Approx(1.0 - 0.5 * std::tan(0.5 * angle)).epsilon(1e-5));
    }
}

TEST_CASE("reflected light has the same bits for every instruction set and number of threads") {
    ReceiverScene cavity = open_cylinder(0.9, 3);
    for (SurfaceRecord& surface : cavity.surfaces) surface.optics.specular_fraction = 0.3f;
    cavity.rays_per_carrier = 8;
    cavity.scene.filter = FilterKind::bilinear;
    // The last bundle of a block is not complete.
    cavity.scene.plan(1, 200);
    const std::vector<int64_t> expected = cavity.trace(1, InstructionSet::portable);
    CHECK(expected == cavity.trace(3, InstructionSet::portable));
    for (const InstructionSet set : usable_instruction_sets())
        CHECK(expected == cavity.trace(1, set));
}

TEST_CASE("light of mirrors has the same bits for every instruction set and number of threads") {
    // A dish sends a beam into a concentrator, whose entry is in its focus.
    const SurfaceOptics mirror{0.1f, -1.0f, 1.0f, 1000.0f, 1.0f, 2e-3f};
    constexpr double kPolynomial[kMapTerms] = {1.0};
    constexpr double kFractions[kMapTerms] = {0.0, 1.0};
    constexpr double kSine = 0.8, kLength = 0.05 * (1.0 + 1.0 / kSine) * 0.75;
    ReceiverScene plant;
    plant.add(quadric_record({20.0, -1.0, 3.0, 0.0, 0.225, 6.0}, true, kPolynomial),
              {1, 0, 0, 0, 0, 1, 0, -1, 0},
              {0, 10, 0},
              mirror);
    plant.add(
        concentrator_record({0.05, kSine, 0.6, 0.05 / kSine, kLength, 0.0, 0.3, 0.1}, kFractions),
        {1, 0, 0, 0, 0, -1, 0, 1, 0},
        {0, static_cast<float>(-kLength), 0},
        mirror);
    plant.add(disc_record(0.05),
              {1, 0, 0, 0, 0, -1, 0, 1, 0},
              {0, static_cast<float>(-kLength), 0},
              gray(0.9, 0.0, 1));
    plant.add_beam({0, 1, 0}, {0, 0, 0}, 4.0f);
    plant.scene.filter = FilterKind::bilinear;
    plant.scene.plan(1, 2000);
    const std::vector<int64_t> expected = plant.trace(1, InstructionSet::portable);
    std::vector<int64_t> sums = expected;
    const SumsView view = plant.layout().view(sums.data());
    CHECK(view.reflected[kMirrorLossSum] > 0);
    CHECK(view.energy[kDeliveredSum] > view.energy[kUnblockedSum] / 2);
    CHECK(expected == plant.trace(3, InstructionSet::portable));
    for (const InstructionSet set : usable_instruction_sets())
        CHECK(expected == plant.trace(1, set));
}
