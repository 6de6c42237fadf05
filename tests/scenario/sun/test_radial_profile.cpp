// SPDX-License-Identifier: MIT
// Profiles: closed forms, and consistency of radiance, integral, inverse and moment for every
// shape.
#include "kernels/core/quadrature.h"
#include "scenario/files/error.h"
#include "scenario/sun/buie.h"
#include "scenario/sun/radial_profile.h"
#include "scenario/types/quadrature.h"
#include "tests/scenario/sun/shapes.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>

using namespace helioray;
using helioray::test::rms_width;

namespace {

/// Integral of radiance * theta^power over [from, to] by brute force.
double moment_between(const RadialProfile& profile, double from, double to, int power) {
    const int n = 50000;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double theta = from + (to - from) * (i + 0.5) / n;
        sum += profile.radiance(theta) * (power == 1 ? theta : theta * theta * theta);
    }
    return sum * (to - from) / n;
}

/// The same from the centre, in two pieces, so that the jump at the edge of a disc lies between
/// them.
double moment(const RadialProfile& profile, double end, int power) {
    const double disc = std::min(end, kSolarDisc);
    return moment_between(profile, 0.0, disc, power) + moment_between(profile, disc, end, power);
}

}  // namespace

TEST_CASE("Profiles agree with the integrals of their radiance") {
    for (const auto& [name, shape] : test::sun_shapes()) {
        CAPTURE(name);
        const auto profile = radial_profile(shape);
        const double far = std::min(profile->edge(), 0.2);
        const double total = moment(*profile, far, 1);
        CHECK(profile->integral() == Approx(total).epsilon(1e-6));
        CHECK(profile->mean_square_angle() ==
              Approx(moment(*profile, far, 3) / total).epsilon(1e-6));
        for (double part : {0.01, 0.1, 0.3, 0.9}) {
            const double theta = part * std::min(profile->edge(), 0.01);
            CHECK(profile->power_within(theta) ==
                  Approx(moment(*profile, theta, 1) / total).epsilon(1e-6));
        }
        if (std::isfinite(profile->edge())) {
            CHECK(profile->power_within(profile->edge()) == 1.0);
            CHECK(profile->radiance(1.001 * profile->edge()) == 0.0);
            CHECK(std::sqrt(profile->square_angle(1.0)) == Approx(profile->edge()).epsilon(1e-9));
        }
    }
}

TEST_CASE("Profiles invert their own distribution") {
    for (const auto& [name, shape] : test::sun_shapes()) {
        const auto profile = radial_profile(shape);
        for (double share : {1e-6, 0.1, 0.5, 0.9, 0.99, 0.9999}) {
            CAPTURE(name, share);
            const double theta = std::sqrt(profile->square_angle(share));
            CHECK(profile->power_within(theta) == Approx(share).margin(1e-9));
        }
    }
}

TEST_CASE("Widths of the sun with closed forms") {
    CHECK(rms_width(GaussianShape{2.09e-3}) == Approx(2.09e-3).epsilon(1e-12));
    CHECK(rms_width(PillboxShape{4.65e-3}) == Approx(4.65e-3 / 2.0).epsilon(1e-12));
    CHECK(rms_width(CollimatedShape{}) == 0.0);
    // Moments of 1 - d s^2 over s = (theta / edge)^2.
    const double d = 0.5138;
    const double mean = (1.0 / 2.0 - d / 4.0) / (1.0 - d / 3.0);
    CHECK(rms_width(LimbDarkenedShape{}) == Approx(4.65e-3 * std::sqrt(mean / 2.0)).epsilon(1e-12));
    // A cone: integrals of (1 - t) t^3 and (1 - t) t are 1/20 and 1/6.
    CHECK(rms_width(TableShape{{0.0, 0.01}, {1.0, 0.0}}) ==
          Approx(0.01 * std::sqrt(0.5 * 6.0 / 20.0)).epsilon(1e-12));
    // A table of two equal rows is a pillbox.
    CHECK(rms_width(TableShape{{0.0, 4e-3}, {7.0, 7.0}}) == Approx(2e-3).epsilon(1e-12));
    // An aureole makes the sun wider.
    CHECK(rms_width(BuieShape{0.3}) > 2.0 * rms_width(BuieShape{0.0}));
}

TEST_CASE("The share outside of a Buie disc is the circumsolar ratio") {
    for (double csr : {0.001, 0.02, 0.4})
        CHECK(1.0 - radial_profile(BuieShape{csr})->power_within(kBuieDisc) ==
              Approx(csr).epsilon(1e-10));
}

TEST_CASE("Limb darkening at the edge of the disc") {
    const auto profile = radial_profile(LimbDarkenedShape{});
    CHECK(profile->radiance(0.0) == 1.0);
    CHECK(profile->radiance(4.65e-3) == Approx(0.4862).epsilon(1e-9));
    CHECK(profile->radiance(4.66e-3) == 0.0);
}

TEST_CASE("A table with a gap in its radiance") {
    const TableShape ring{{0.0, 0.001, 0.002, 0.003, 0.004}, {0.0, 0.0, 1.0, 0.0, 0.0}};
    const auto profile = radial_profile(ring);
    CHECK(profile->radiance(0.0) == 0.0);
    CHECK(profile->power_within(0.001) == 0.0);
    CHECK(profile->power_within(0.003) == Approx(1.0).epsilon(1e-12));
    CHECK(std::sqrt(profile->square_angle(1e-9)) > 0.001);
    CHECK(std::sqrt(profile->square_angle(0.999999)) < 0.003);
}

TEST_CASE("Sun shapes out of range are refused") {
    CHECK_THROWS_AS(radial_profile(GaussianShape{0.0}), InputError);
    CHECK_THROWS_AS(radial_profile(GaussianShape{NAN}), InputError);
    CHECK_THROWS_AS(radial_profile(PillboxShape{-1e-3}), InputError);
    CHECK_THROWS_AS(radial_profile(PillboxShape{4.65}), InputError);
    CHECK_THROWS_AS(radial_profile(BuieShape{0.9}), InputError);
    CHECK_THROWS_AS(radial_profile(CollimatedShape{}), InputError);
    CHECK_THROWS_AS(radial_profile(TableShape{{0.0}, {1.0}}), InputError);
    CHECK_THROWS_AS(radial_profile(TableShape{{0.0, 0.01}, {1.0}}), InputError);
    CHECK_THROWS_AS(radial_profile(TableShape{{0.001, 0.01}, {1.0, 0.0}}), InputError);
    CHECK_THROWS_AS(radial_profile(TableShape{{0.0, 0.01, 0.01}, {1.0, 0.5, 0.0}}), InputError);
    CHECK_THROWS_AS(radial_profile(TableShape{{0.0, 4.65}, {1.0, 0.5}}), InputError);
    CHECK_THROWS_AS(radial_profile(TableShape{{0.0, 0.01}, {0.0, 0.0}}), InputError);
    try {
        radial_profile(TableShape{{0.0, 0.01, 0.005}, {1.0, -0.5, NAN}});
        FAIL("a broken table was accepted");
    } catch (const InputError& error) {
        CHECK(error.problems().size() == 3);
        CHECK_THAT(error.what(), ContainsSubstring("row 2: radiance -0.5"));
    }
}

TEST_CASE("Integrals of scenarios and kernels have the same nodes") {
    for (const int parts : {1, 3}) {
        const kernels::QuadratureNodes nodes = kernels::quadrature_nodes(parts);
        // Of the tenth degree: the error of the rule is part of the comparison.
        const auto power = [](double x) { return std::pow(x, 10); };
        double sum = 0.0;
        for (size_t i = 0; i < nodes.position.size(); ++i)
            sum += nodes.weight[i] * power(nodes.position[i]);
        CHECK(integrate(power, 0.0, 1.0, parts) == Approx(sum).epsilon(1e-14));
    }
}
