// SPDX-License-Identifier: MIT
// Buie's sun against the published parameters, integrals and circumsolar ratios.
#include "scenario/files/error.h"
#include "scenario/sun/buie.h"
#include "scenario/types/quadrature.h"
#include "tests/scenario/sun/near.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <optional>
#include <vector>

using namespace helioray;

namespace {

struct Row {
    double csr;
    double naive;  // realised with x = csr
    double tonatiuh_x, tonatiuh_csr;
    double tracer_x, tracer_csr;
    std::optional<double> exact_x;
};

const std::vector<Row> kRows{{0.01, 0.000423, 0.024787, 0.010539, 0.023469, 0.009134, 0.0242896},
                             {0.02, 0.005813, 0.032323, 0.019598, 0.033870, 0.021603, 0.0326349},
                             {0.03, 0.016661, 0.040437, 0.030339, 0.041519, 0.031796, 0.0401844},
                             {0.05, 0.043134, 0.055176, 0.049884, 0.055131, 0.049827, 0.0552660},
                             {0.10, 0.100268, 0.099784, 0.100055, 0.099400, 0.099676, 0.0997282},
                             {0.20, 0.187142, 0.215691, 0.200263, 0.217789, 0.202027, {}},
                             {0.30, 0.274263, 0.326931, 0.299582, 0.328924, 0.301492, {}},
                             {0.40, 0.372649, 0.426353, 0.400396, 0.429245, 0.403478, {}}};

}  // namespace

TEST_CASE("Buie parameters at published x") {
    CHECK(buie_parameters_of(0.02).kappa == test::near(-3.810515, 1e-6));
    CHECK(buie_parameters_of(0.02).gamma == test::near(-1.968085, 1e-6));
    CHECK(buie_parameters_of(0.10).kappa == test::near(0.538909, 1e-6));
    CHECK(buie_parameters_of(0.10).gamma == test::near(-2.516586, 1e-6));
    CHECK(buie_parameters_of(0.30).kappa == test::near(1.806492, 1e-6));
    CHECK(buie_parameters_of(0.30).gamma == test::near(-2.535606, 1e-6));
}

TEST_CASE("Buie disc and ring integrals") {
    CHECK(buie_disc_integral() == test::near(9.224740e-6, 1e-12));
    CHECK(integrate([](double t) { return buie_radiance({}, t) * t; }, 0.0, kBuieDisc, 1000) ==
          Approx(buie_disc_integral()).epsilon(1e-12));
    for (double x : {0.01, 0.03, 0.2, 0.5}) {
        const BuieParameters p = buie_parameters_of(x);
        const double numeric = integrate(
            [&](double t) { return buie_radiance(p, t) * t; }, kBuieDisc, kBuieAureole, 100);
        CHECK(buie_ring_integral(p) == Approx(numeric).epsilon(1e-9));
        // The share of the ring and its angle are inverse to each other.
        const double angle = buie_ring_angle(p, 0.3);
        CHECK(buie_ring_integral(p, angle) == Approx(0.3 * buie_ring_integral(p)).epsilon(1e-12));
    }
}

TEST_CASE("Buie ring integral where the aureole falls off as the inverse square") {
    BuieParameters p = buie_parameters_of(0.05);
    p.gamma = -2.0;
    const double exact = 1e-6 * std::exp(p.kappa) * std::log(kBuieAureole / kBuieDisc);
    CHECK(buie_ring_integral(p) == Approx(exact).epsilon(1e-12));
    p.gamma = -2.0 + 1e-7;
    CHECK(buie_ring_integral(p) == Approx(exact).epsilon(1e-6));
    p.gamma = -2.0;
    CHECK(buie_ring_angle(p, 0.5) == Approx(std::sqrt(kBuieDisc * kBuieAureole)).epsilon(1e-12));
}

TEST_CASE("Realised circumsolar ratios of every calibration") {
    for (const Row& row : kRows) {
        CAPTURE(row.csr);
        CHECK(buie_realised_csr(buie_parameters_of(row.csr)) == test::near(row.naive, 1e-6));
        const auto tonatiuh = buie_parameters({row.csr, BuieCalibration::tonatiuh});
        CHECK(tonatiuh.x == test::near(row.tonatiuh_x, 1e-6));
        CHECK(buie_realised_csr(tonatiuh) == test::near(row.tonatiuh_csr, 1e-6));
        const auto tracer = buie_parameters({row.csr, BuieCalibration::tracer});
        CHECK(tracer.x == test::near(row.tracer_x, 1e-6));
        CHECK(buie_realised_csr(tracer) == test::near(row.tracer_csr, 1e-6));
        const auto exact = buie_parameters({row.csr});
        CHECK(buie_realised_csr(exact) == test::near(row.csr, 1e-12));
        if (row.exact_x) CHECK(exact.x == test::near(*row.exact_x, 1e-7));
    }
}

TEST_CASE("Exact circumsolar ratio over its whole range") {
    for (double csr : {1e-9, 1e-5, 1e-3, 0.145, 0.6, 0.8})
        CHECK(buie_realised_csr(buie_parameters({csr})) == Approx(csr).epsilon(1e-10));
    CHECK(buie_realised_csr(buie_parameters({0.0})) == 0.0);
    CHECK(buie_radiance(buie_parameters({0.0}), 0.005) == 0.0);
    CHECK_THROWS_AS(buie_parameters({-0.01}), InputError);
    CHECK_THROWS_AS(buie_parameters({0.81}), InputError);
    CHECK_THROWS_AS(buie_parameters({NAN}), InputError);
}
