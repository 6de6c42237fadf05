// SPDX-License-Identifier: MIT
// Derivatives of the backward kernel against central differences of the same physics in double
// precision, same rays.
#include "kernels/receiver/disc.h"
#include "kernels/trace_flux.h"
#include "tests/kernels/double_loss.h"
#include "tests/kernels/turned_mirror.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <functional>
#include <numbers>

using namespace helioray::kernels;
using helioray::test::loss_in_double;
using helioray::test::Scene;
using helioray::test::turn;
using helioray::test::turn_derivative;

namespace {

/// Loss per quantum: a pattern without symmetry, a few waves over the target.
std::vector<float> pattern(const Scene& scene) {
    std::vector<float> gradient;
    for (size_t t = 0; t < scene.targets.size(); ++t) {
        for (int32_t row = 0; row < scene.height; ++row) {
            for (int32_t column = 0; column < scene.width; ++column) {
                const double x = (column + 0.5) / scene.width;
                const double y = (row + 0.5) / scene.height;
                gradient.push_back(static_cast<float>(std::sin(7.0 * x + 1.0) +
                                                      0.7 * std::cos(5.0 * y - 2.0 * x) +
                                                      0.3 * static_cast<double>(t)));
            }
        }
    }
    return gradient;
}

double loss(const Scene& scene, const std::vector<float>& gradient) {
    const auto sums = scene.trace(2);
    double total = 0.0;
    for (size_t i = 0; i < gradient.size(); ++i)
        total += static_cast<double>(gradient[i]) * static_cast<double>(sums.flux[i]);
    return total;
}

/// Derivatives in units of the loss.
struct Gradients {
    std::vector<double> heliostats, floats;
    std::vector<int64_t> integers;
};

Gradients backward(const Scene& scene,
                   const std::vector<float>& gradient,
                   int threads = 2,
                   InstructionSet set = InstructionSet::automatic) {
    const auto num_units = static_cast<int64_t>(scene.units.size());
    const FieldView view = scene.view();
    const GradientScale scale = gradient_scale(view, scene.units.data(), num_units, 2.0f);
    std::vector<int64_t> heliostats(scene.heliostats.size() * kNumHeliostatGradients, 0);
    std::vector<int64_t> floats(scene.floats.size(), 0);
    CpuOptions options;
    options.num_threads = threads;
    options.instruction_set = set;
    trace_flux_backward_cpu(view,
                            scene.units.data(),
                            num_units,
                            gradient.data(),
                            scale,
                            {heliostats.data(), floats.data()},
                            options);
    Gradients result;
    for (size_t i = 0; i < heliostats.size(); ++i)
        result.heliostats.push_back(static_cast<double>(heliostats[i]) /
                                    scale.heliostat[i % kNumHeliostatGradients]);
    for (const int64_t one : floats)
        result.floats.push_back(static_cast<double>(one) / scale.floats);
    result.integers = heliostats;
    result.integers.insert(result.integers.end(), floats.begin(), floats.end());
    return result;
}

using Loss = double (*)(const Scene&, const std::vector<float>&);

double central_difference(const Scene& scene,
                          const std::vector<float>& gradient,
                          double step,
                          const std::function<void(Scene&, double)>& change,
                          Loss of = loss_in_double) {
    Scene low = scene;
    Scene high = scene;
    change(low, -step);
    change(high, step);
    return (of(high, gradient) - of(low, gradient)) / (2.0 * step);
}

/// A bent B-spline mirror 60 m before a target that catches all light.
Scene spline_scene() {
    Scene scene = helioray::test::one_mirror();
    scene.targets.push_back(helioray::test::plane(24.0f, 24.0f));
    helioray::test::use_flat_bspline(scene, 6);
    // Bend it: what the tables do not know about stays a weight.
    for (int i = 0; i < 36; ++i) {
        float* p = scene.floats.data() + 3 * i;
        p[2] = (p[0] * p[0] + p[1] * p[1]) / 240.0f + 0.002f * std::sin(2.0f * p[0]) * p[1];
    }
    scene.sun = {AngularShape::Kind::gaussian, 4e-3f};
    scene.slope_error = {AngularShape::Kind::gaussian, 2e-3f};
    scene.specularity_error = {AngularShape::Kind::gaussian, 3e-3f};
    scene.reflectivity = 0.9f;
    scene.width = scene.height = 96;
    scene.filter = FilterKind::bilinear;
    scene.plan(4, 16384);
    return scene;
}

/// Every derivative of a heliostat with B-spline facet against differences; within 1 % of itself
/// plus 20 millionths of the loss per metre at the target.
void check_all(const Scene& scene) {
    const std::vector<float> gradient = pattern(scene);
    const Gradients g = backward(scene, gradient);
    const double value = loss(scene, gradient);
    const auto energy = scene.trace().energy;
    CHECK(energy[kAttenuatedSum] + energy[kDeliveredSum] == energy[kUnblockedSum]);
    CHECK(g.heliostats[kValueGradient] == Approx(value).epsilon(1e-4));

    const auto compare = [&](const char* what, double exact, double difference, double floor) {
        CAPTURE(what, exact, difference, floor);
        CHECK(std::abs(exact - difference) < 0.01 * std::abs(difference) + floor);
    };
    // Sizes of the kinds, below which nothing can be told.
    const double per_metre = 2e-5 * std::abs(value);
    const double per_radian = 60.0 * per_metre;
    for (int k = 0; k < 3; ++k) {
        compare("translation",
                g.heliostats[static_cast<size_t>(kTranslationGradient + k)],
                central_difference(scene,
                                   gradient,
                                   0.02,
                                   [&](Scene& changed, double step) {
                                       changed.heliostats[0].translation[k] +=
                                           static_cast<float>(step);
                                   }),
                per_metre);
        compare("turn",
                turn_derivative(
                    scene, [&](int i) { return g.heliostats[static_cast<size_t>(i)]; }, k),
                central_difference(scene,
                                   gradient,
                                   2e-4,
                                   [&](Scene& changed, double step) { turn(changed, k, step); }),
                per_radian);
        // Directions across the sun's: along it only the length would change.
        const float* sun = scene.heliostats[0].sun_direction;
        double across[3];
        double slope = 0.0;
        for (int i = 0; i < 3; ++i) {
            across[i] = (i == k ? 1.0 : 0.0) - static_cast<double>(sun[k]) * sun[i];
            slope += g.heliostats[static_cast<size_t>(kSunDirectionGradient + i)] * across[i];
        }
        compare("sun direction",
                slope,
                central_difference(scene,
                                   gradient,
                                   2e-4,
                                   [&](Scene& changed, double step) {
                                       for (int i = 0; i < 3; ++i)
                                           changed.heliostats[0].sun_direction[i] +=
                                               static_cast<float>(step * across[i]);
                                   }),
                per_radian);
    }
    compare("sun width",
            g.heliostats[kSunWidthGradient],
            central_difference(
                scene,
                gradient,
                2e-5,
                [](Scene& changed, double step) { changed.sun.width += static_cast<float>(step); }),
            per_radian);
    compare("slope error",
            g.heliostats[kSlopeWidthGradient],
            central_difference(scene,
                               gradient,
                               2e-5,
                               [](Scene& changed, double step) {
                                   changed.slope_error.width += static_cast<float>(step);
                               }),
            per_radian);
    compare("specularity error",
            g.heliostats[kSpecularityWidthGradient],
            central_difference(scene,
                               gradient,
                               2e-5,
                               [](Scene& changed, double step) {
                                   changed.specularity_error.width += static_cast<float>(step);
                               }),
            per_radian);
    // Control points: corner, edge, middle; all three coordinates.
    for (const size_t point : {size_t{0}, size_t{3}, size_t{14}, size_t{21}, size_t{35}}) {
        for (size_t k = 0; k < 3; ++k) {
            const double step = k == 2 ? 1e-4 : 5e-3;
            compare("control point",
                    g.floats[3 * point + k],
                    central_difference(scene,
                                       gradient,
                                       step,
                                       [&](Scene& changed, double s) {
                                           changed.floats[3 * point + k] += static_cast<float>(s);
                                       }),
                    0.1 * per_radian);
        }
    }
}

void move_across(Scene& changed, double step) {
    changed.heliostats[0].translation[0] += static_cast<float>(step);
}

}  // namespace

TEST_CASE("derivatives on a plane agree with central differences") {
    check_all(spline_scene());
}

TEST_CASE("derivatives with a pillbox sun and attenuation agree with central differences") {
    Scene scene = spline_scene();
    scene.sun = {AngularShape::Kind::pillbox, 6e-3f};
    scene.air = {0, {0.99f, -2.0f, 1.0f, 0.0f, 0.0f}, 3.0f, 1.0f, 0.1f};
    check_all(scene);
    scene.air.limit_km = 0.01f;
    scene.air.far_rate = 8.0f;
    check_all(scene);
}

TEST_CASE("derivatives with reflectivity by incidence angle agree with central differences") {
    Scene scene = spline_scene();
    helioray::test::use_incidence_table(scene, 0.9f);
    check_all(scene);
    scene.air = {0, {0.99f, -2.0f, 1.0f, 0.0f, 0.0f}, 3.0f, 1.0f, 0.1f};
    check_all(scene);
}

TEST_CASE("derivatives of a round mirror agree with central differences") {
    Scene scene = spline_scene();
    scene.facets[0].outline = FacetOutline::ellipse;
    scene.facets[0].outline_fraction = 0.785398163f;
    scene.facets[0].area *= scene.facets[0].outline_fraction;
    check_all(scene);
}

TEST_CASE("derivatives on cylinders agree with central differences") {
    for (const int inner : {0, 1}) {
        Scene scene = spline_scene();
        TargetRecord& target = scene.targets[0];
        target.kind = inner ? TargetKind::cylinder_inside : TargetKind::cylinder_outside;
        target.radius = 15.0f;
        target.opening_angle = 2.5f;
        target.width = target.radius * target.opening_angle;
        target.height = 30.0f;
        // Its axis is z, its middle +y: light comes along -y, or from within.
        HeliostatRecord& h = scene.heliostats[0];
        const float y_position = inner != 0 ? -45.0f : 75.0f;
        const float facing = inner != 0 ? 1.0f : -1.0f;
        const float rotation[9] = {-facing, 0, 0, 0, 0, facing, 0, 1, 0};
        std::copy_n(rotation, 9, h.rotation);
        h.translation[0] = 1.0f;
        h.translation[1] = y_position;
        h.translation[2] = -3.0f;
        h.sun_direction[0] = 0.05f;
        h.sun_direction[1] = facing * 0.9886860f;
        h.sun_direction[2] = 0.1414214f;
        const auto energy = scene.trace().energy;
        CHECK(static_cast<double>(energy[kDeliveredSum]) >
              0.999 * static_cast<double>(energy[kUnblockedSum]));
        check_all(scene);
    }
}

TEST_CASE("derivatives on a disc agree with central differences") {
    Scene scene = spline_scene();
    scene.targets[0] = disc_record(15.0);
    const auto energy = scene.trace().energy;
    CHECK(static_cast<double>(energy[kDeliveredSum]) >
          0.999 * static_cast<double>(energy[kUnblockedSum]));
    check_all(scene);
}

TEST_CASE("gradients are the same for any threads, instruction set and split") {
    const Scene scene = spline_scene();
    const std::vector<float> gradient = pattern(scene);
    const Gradients reference = backward(scene, gradient, 1);
    CHECK(backward(scene, gradient, 3).integers == reference.integers);
    for (const InstructionSet set : usable_instruction_sets())
        CHECK(backward(scene, gradient, 2, set).integers == reference.integers);
    CHECK(std::abs(reference.heliostats[kTranslationGradient]) > 0.0);
}

TEST_CASE("light that crosses a rim is not in the derivative, and this is how much it is") {
    const Scene scene = helioray::test::rim_scene();
    const std::vector<float> ones(static_cast<size_t>(scene.width * scene.height), 1.0f);
    const Gradients g = backward(scene, ones);
    const double power = loss(scene, ones);
    CHECK(g.heliostats[kValueGradient] == Approx(power).epsilon(1e-4));
    // Truly, power moves over the rim: its line density there is power / (sqrt(2 pi) sigma).
    const double all = 2.0 * power;
    const double truly = central_difference(scene, ones, 0.05, move_across, loss);
    CHECK(truly == Approx(all / std::sqrt(2.0 * std::numbers::pi)).epsilon(0.02));
    // The derivative with all rays kept does not know that.
    CHECK(std::abs(g.heliostats[kTranslationGradient]) < 1e-6 * all);
}

TEST_CASE("light that crosses the shadow's edge of another mirror is not in the derivative") {
    // A square screen of 4 m hides the middle of the 10 m mirror from the sun.
    Scene scene = helioray::test::paraboloid_scene();
    scene.filter = FilterKind::bilinear;
    scene.width = scene.height = 32;
    scene.targets[0] = helioray::test::plane(40.0f, 40.0f);
    OccluderFacet screen{};
    screen.center[0] = 3.5f;  // its edge hides a strip of 3.5 m ... 5 m only in part
    screen.center[2] = 480.0f;
    screen.normal[2] = 1.0f;
    screen.axis_x[0] = screen.axis_y[1] = 0.5f;
    screen.radius = 3.0f;
    const Occluder occluder{{3.5f, 0.0f, 480.0f}, 3.0f, 0, 1};
    scene.shade_by(occluder, screen);
    scene.plan(8, 65536);
    const std::vector<float> ones(static_cast<size_t>(scene.width * scene.height), 1.0f);
    const Gradients g = backward(scene, ones);
    const double power = loss(scene, ones);
    // 3.5 m x 4 m of 100 m2 are hidden.
    const double all = power / (1.0 - 0.14);
    CHECK(g.heliostats[kValueGradient] == Approx(power).epsilon(1e-4));
    CHECK(std::abs(g.heliostats[kTranslationGradient]) < 1e-3 * all);
    const double truly = central_difference(scene, ones, 0.2, move_across, loss);
    // Moved by dx, the mirror's rim brings 4 m x dx more into the shadow.
    CHECK(truly == Approx(-0.04 * all).epsilon(0.03));
}
