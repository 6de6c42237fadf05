// SPDX-License-Identifier: MIT
// Derivatives of light that crosses edges: the edges themselves against the test of what meets a
// body, and whole traces against central differences of the forward kernel.
#include "kernels/ray/body_edges.h"
#include "kernels/ray/occlusion.h"
#include "kernels/receiver/cylinder.h"
#include "kernels/receiver/disc.h"
#include "kernels/trace_flux.h"
#include "tests/kernels/turned_mirror.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <utility>

using namespace helioray::kernels;
using helioray::test::Scene;
using helioray::test::turn;
using helioray::test::turn_derivative;

namespace {

/// A body with its frame turned about z by `turn`, then about x by `tilt`; sizes are half extents.
ObstacleRecord body(ObstacleRecord::Kind kind,
                    const Vec<double>& center,
                    const Vec<double>& size,
                    double turn = 0.0,
                    double tilt = 0.0,
                    double taper = 0.0) {
    const double c = std::cos(turn), s = std::sin(turn), ct = std::cos(tilt), st = std::sin(tilt);
    const double rows[9] = {c, s, 0, -s * ct, c * ct, st, s * st, -c * st, ct};
    const double sizes[3] = {size.x, size.y, size.z};
    ObstacleRecord record{};
    record.kind = kind;
    record.taper = static_cast<float>(taper);
    record.center[0] = static_cast<float>(center.x);
    record.center[1] = static_cast<float>(center.y);
    record.center[2] = static_cast<float>(center.z);
    for (size_t i = 0; i < 9; ++i) record.axes[i] = static_cast<float>(rows[i] / sizes[i / 3]);
    return record;
}

using Bodies = std::vector<ObstacleRecord>;

FieldView view_of(const Scene& scene, const Bodies& bodies) {
    FieldView view = scene.view();
    view.obstacles = bodies.data();
    view.num_obstacles = static_cast<int32_t>(bodies.size());
    view.shading = view.blocking = 1;
    return view;
}

/// Sum of gradient * quanta of the forward kernel.
double loss(const Scene& scene, const Bodies& bodies, const std::vector<float>& gradient) {
    auto sums = scene.zero_sums();
    CpuOptions options;
    options.num_threads = 2;
    trace_flux_cpu(view_of(scene, bodies),
                   scene.units.data(),
                   static_cast<int64_t>(scene.units.size()),
                   sums.view(),
                   options);
    double total = 0.0;
    for (size_t i = 0; i < gradient.size(); ++i)
        total += static_cast<double>(gradient[i]) * static_cast<double>(sums.flux[i]);
    return total;
}

/// Integer sums of the backward kernel and their scale.
struct Backward {
    GradientScale scale;
    std::vector<int64_t> heliostats, floats;

    double of(int index) const {
        return static_cast<double>(heliostats[static_cast<size_t>(index)]) / scale.heliostat[index];
    }
};

Backward backward(const Scene& scene,
                  const Bodies& bodies,
                  const std::vector<float>& gradient,
                  float reach,
                  int threads = 2,
                  InstructionSet set = InstructionSet::automatic) {
    const FieldView view = view_of(scene, bodies);
    const auto num_units = static_cast<int64_t>(scene.units.size());
    Backward result{gradient_scale(view, scene.units.data(), num_units, 2.0f, reach), {}, {}};
    result.heliostats.assign(scene.heliostats.size() * kNumHeliostatGradients, 0);
    result.floats.assign(scene.floats.size(), 0);
    CpuOptions options;
    options.num_threads = threads;
    options.instruction_set = set;
    options.edge_reach = reach;
    trace_flux_backward_cpu(view,
                            scene.units.data(),
                            num_units,
                            gradient.data(),
                            result.scale,
                            {result.heliostats.data(), result.floats.data()},
                            options);
    return result;
}

double central_difference(const std::function<double(double)>& f, double step) {
    return (f(step) - f(-step)) / (2.0 * step);
}

/// Weights of pixels, a few waves over the target, 0 at its rims.
std::vector<float> inner_pattern(const Scene& scene) {
    std::vector<float> gradient;
    for (int32_t row = 0; row < scene.height; ++row) {
        for (int32_t column = 0; column < scene.width; ++column) {
            const double x = (column + 0.5) / scene.width;
            const double y = (row + 0.5) / scene.height;
            const double inside = std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * y);
            gradient.push_back(static_cast<float>(
                inside * inside * (1.0 + 0.5 * std::sin(7.0 * x + 1.0) + 0.4 * std::cos(5.0 * y))));
        }
    }
    return gradient;
}

/// A mirror of 4 m x 3 m, 60 m before a target of 16 x 16 m that faces it; the light is 2 m wide
/// there.
Scene beam() {
    Scene scene = helioray::test::one_mirror();
    scene.area = scene.facets[0].area;
    scene.targets.push_back(helioray::test::plane(16.0f, 16.0f));
    scene.sun = {AngularShape::Kind::gaussian, 8e-3f};
    scene.slope_error = {AngularShape::Kind::gaussian, 6e-3f};
    scene.specularity_error = {AngularShape::Kind::gaussian, 3e-3f};
    scene.reflectivity = 0.9f;
    scene.width = scene.height = 64;
    scene.filter = FilterKind::bilinear;
    return scene;
}

}  // namespace

TEST_CASE("the density beside an edge has integral 1 and first moment 0") {
    for (const double reach : {0.05, 0.3, 2.0}) {
        constexpr int kSteps = 1000;
        double integral = 0.0;
        double moment = 0.0;
        for (int i = 0; i < kSteps; ++i) {
            const double gap = reach * (i + 0.5) / kSteps;
            integral += edge_density(gap, reach) * reach / kSteps;
            moment += edge_density(gap, reach) * gap * reach / kSteps;
        }
        CHECK(integral == Approx(1.0).epsilon(1e-9));
        CHECK(std::abs(moment) < 1e-5 * reach);
    }
}

TEST_CASE("a ray that is moved or turned by its gap to a body meets it") {
    std::mt19937 generator(5);
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(generator);
    };
    // Far more than the gaps looked at, so that the density tells the gap.
    constexpr float kReach = 10.0f;
    constexpr float kRoom = 3e-3f;
    using Kind = ObstacleRecord::Kind;
    const std::pair<Kind, double> kinds[] = {
        {Kind::box, 0.0}, {Kind::cylinder, 0.0}, {Kind::cone, -0.5}, {Kind::cone, 0.7}};
    for (const auto& [kind, taper] : kinds) {
        const bool is_box = kind == Kind::box;
        const ObstacleRecord one =
            body(kind, {3.0, -2.0, 5.0}, {1.5, is_box ? 0.8 : 1.5, 2.0}, 0.4, 0.7, taper);
        const auto meets = [&](const Vec<float>& o, const Vec<float>& d) {
            return meets_obstacle(one, o, d, kNoLimit);
        };
        int moved = 0;
        int near = 0;
        int found = 0;
        for (int i = 0; i < 200000; ++i) {
            const auto point = [&](double size) {
                return Vec<float>{static_cast<float>(uniform(3 - size, 3 + size)),
                                  static_cast<float>(uniform(-2 - size, -2 + size)),
                                  static_cast<float>(uniform(5 - size, 5 + size))};
            };
            const Vec<float> o = point(12.0);
            const Vec<float> d = normalized(point(3.0) - o);
            const Vec<float> local = rotate(one.axes, d);
            if (meets(o, d) || std::abs(local.z) < 0.1f || meets(o, {-d.x, -d.y, -d.z})) continue;
            EdgeSums<float> sums(kReach);
            pass_body(one, o, d, kNoLimit, sums);
            const float density = sqrt_(dot(sums.by_origin, sums.by_origin));
            const float gap = (4.0f - density * kReach) * kReach / 6.0f;
            const bool counts = density > 0.0f && gap < 0.01f;
            // Rays whose neighbour meets the body pass near an edge, or a corner.
            Vec<float> t1, t2;
            tangent_basis(d, t1, t2);
            const auto angle = uniform(0.0, 2.0 * std::numbers::pi);
            const Vec<float> aside =
                add_scaled(scaled(static_cast<float>(0.005 * std::cos(angle)), t1),
                           static_cast<float>(0.005 * std::sin(angle)),
                           t2);
            if (meets(add_scaled(o, 1.0f, aside), d)) {
                ++near;
                found += counts ? 1 : 0;
            }
            if (!counts) continue;
            ++moved;
            const Vec<float> outward = scaled(1.0f / density, sums.by_origin);
            const float distance = dot(sums.by_direction, outward) / density;
            CHECK(std::abs(dot(outward, d)) < 1e-3f);
            const auto at = [&](float by) { return add_scaled(o, -by, outward); };
            const auto along = [&](float by) {
                return normalized(add_scaled(d, -by / distance, outward));
            };
            CAPTURE(i, is_box, taper, gap, distance);
            CHECK(meets(at(gap + kRoom), d));
            CHECK_FALSE(meets(at(gap - kRoom), d));
            CHECK(meets(o, along(gap + kRoom)));
            CHECK_FALSE(meets(o, along(gap - kRoom)));
        }
        CHECK(moved > 300);
        CHECK(near > 50);
        CHECK(found > 0.95 * near);
    }
}

namespace {

struct BodyCase {
    const char* name;
    Bodies bodies;
    int axis;  ///< of the movement and the turn that are compared
};

/// Bodies in the way of beam(), and the axes along which most light crosses their edges.
std::vector<BodyCase> body_cases() {
    constexpr auto kBox = ObstacleRecord::Kind::box;
    constexpr auto kCylinder = ObstacleRecord::Kind::cylinder;
    constexpr auto kCone = ObstacleRecord::Kind::cone;
    return {
        {"wall from the side", {body(kBox, {-1.5, 0.0, 10.0}, {1.5, 6.0, 0.3}, 0.1, 0.05)}, 0},
        {"wall from below", {body(kBox, {0.0, -5.0, 10.0}, {8.0, 4.5, 0.3})}, 1},
        {"box before the sun", {body(kBox, {4.0, 10.0, 25.0}, {3.0, 2.0, 2.0}, 0.4, 0.3)}, 1},
        {"mast", {body(kCylinder, {-3.7, -0.15, 15.0}, {0.7, 0.7, 2.0}, 0.3, 1.2)}, 0},
        {"can", {body(kCylinder, {-3.7, -0.3, 15.0}, {0.7, 0.7, 0.4}, 0.3, 0.5)}, 0},
        {"shaft", {body(kCone, {-3.7, -0.15, 15.0}, {0.7, 0.7, 2.0}, 0.3, 1.2, -0.5)}, 0},
        {"funnel", {body(kCone, {-3.7, -0.3, 15.0}, {0.7, 0.7, 0.8}, 0.3, 0.9, 0.6)}, 1},
    };
}

/// Derivatives by a movement along x, y or z against central differences of whole traces.
void compare_movement(const Scene& scene,
                      const Bodies& bodies,
                      const std::vector<float>& gradient,
                      int axis,
                      float reach,
                      double tolerance) {
    const double value = loss(scene, bodies, gradient);
    const double truly = central_difference(
        [&](double step) {
            Scene changed = scene;
            changed.heliostats[0].translation[axis] += static_cast<float>(step);
            return loss(changed, bodies, gradient);
        },
        0.05);
    const int index = kTranslationGradient + axis;
    const double with = backward(scene, bodies, gradient, reach).of(index);
    const double without = backward(scene, bodies, gradient, 0.0f).of(index);
    CAPTURE(axis, value, truly, with, without);
    // Without edges another derivative; with them this one, to a part of what they make of it.
    CHECK(std::abs(without - truly) > 0.05 * std::abs(value));
    CHECK(std::abs(with - truly) < tolerance * std::abs(without - truly));
}

}  // namespace

TEST_CASE("derivatives of light that crosses the edges of bodies agree with differences") {
    Scene scene = beam();
    scene.plan(8, 65536);
    const std::vector<float> gradient = inner_pattern(scene);
    for (const BodyCase& one : body_cases()) {
        CAPTURE(one.name);
        compare_movement(scene, one.bodies, gradient, one.axis, 0.15f, 0.04);
    }
}

TEST_CASE("derivatives by turns count the distance of edges") {
    Scene scene = beam();
    scene.plan(8, 65536);
    const std::vector<float> gradient = inner_pattern(scene);
    const BodyCase wall = body_cases()[1];
    const double truly = central_difference(
        [&](double step) {
            Scene changed = scene;
            turn(changed, 0, step);
            return loss(changed, wall.bodies, gradient);
        },
        1e-3);
    const auto turn_by_kernel = [&](float reach) {
        const Backward found = backward(scene, wall.bodies, gradient, reach);
        return turn_derivative(
            scene, [&](int i) { return found.of(i); }, 0);
    };
    const double with = turn_by_kernel(0.15f);
    const double without = turn_by_kernel(0.0f);
    CAPTURE(truly, with, without);
    CHECK(std::abs(without - truly) > 0.5 * std::abs(truly));
    CHECK(with == Approx(truly).epsilon(0.02));
}

TEST_CASE("light that crosses a rim follows its line density there") {
    const Scene scene = helioray::test::rim_scene();
    const std::vector<float> ones(static_cast<size_t>(scene.width * scene.height), 1.0f);
    const double all = 2.0 * loss(scene, {}, ones);
    const double found = backward(scene, {}, ones, 0.2f).of(kTranslationGradient);
    CHECK(found == Approx(all / std::sqrt(2.0 * std::numbers::pi)).epsilon(0.015));
}

TEST_CASE("derivatives of light that crosses rims of every shape agree with differences") {
    Scene scene = beam();
    scene.plan(8, 65536);
    const std::vector<float> ones(static_cast<size_t>(scene.width * scene.height), 1.0f);
    // The beam's middle is at (-5, 0.5).
    scene.targets[0] = helioray::test::plane(11.0f, 1.6f);
    compare_movement(scene, {}, ones, 0, 0.15f, 0.04);
    compare_movement(scene, {}, ones, 1, 0.15f, 0.04);
    scene.targets[0] = disc_record(5.2);
    compare_movement(scene, {}, ones, 0, 0.15f, 0.04);

    // A triangle on the plane, one edge of which is the left rim.
    scene.targets[0] = helioray::test::plane(11.0f, 8.0f);
    scene.targets[0].num_edges = 3;
    scene.targets[0].edges = std::ssize(scene.floats);
    const float edges[9] = {-1.0f, 0.0f, 0.5f, 1.0f, 2.0f, 0.0f, 1.0f, -2.0f, 0.5f};
    scene.floats.insert(scene.floats.end(), std::begin(edges), std::end(edges));
    compare_movement(scene, {}, ones, 0, 0.15f, 0.04);
    compare_movement(scene, {}, ones, 1, 0.15f, 0.04);

    // The upper rim of a cylinder, and the side of its sector, which are far from where light
    // grazes it.
    scene = beam();
    scene.targets[0] = cylinder_record(15.0, 12.0, 0.8, false);
    HeliostatRecord& h = scene.heliostats[0];
    const float rotation[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    std::copy_n(rotation, 9, h.rotation);
    h.translation[0] = 5.5f;
    h.translation[1] = 75.0f;
    h.translation[2] = 5.6f;
    h.sun_direction[0] = 0.0f;
    h.sun_direction[1] = -1.0f;
    h.sun_direction[2] = 0.0f;
    scene.plan(8, 65536);
    compare_movement(scene, {}, ones, 0, 0.15f, 0.04);
    compare_movement(scene, {}, ones, 2, 0.15f, 0.04);
}

TEST_CASE("derivatives with edges are the same for any threads and instruction set") {
    Scene scene = beam();
    scene.plan(2, 4096);
    const std::vector<float> gradient = inner_pattern(scene);
    for (const BodyCase& one : body_cases()) {
        const Backward reference = backward(scene, one.bodies, gradient, 0.2f, 1);
        CHECK(backward(scene, one.bodies, gradient, 0.2f, 3).heliostats == reference.heliostats);
        for (const InstructionSet set : usable_instruction_sets())
            CHECK(backward(scene, one.bodies, gradient, 0.2f, 2, set).heliostats ==
                  reference.heliostats);
        CHECK(reference.heliostats != backward(scene, one.bodies, gradient, 0.0f).heliostats);
    }
}
