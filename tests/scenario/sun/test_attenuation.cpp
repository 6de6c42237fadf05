// SPDX-License-Identifier: MIT
// Transmittance of the air against published values.
#include "scenario/files/error.h"
#include "scenario/sun/attenuation.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <vector>

using namespace helioray;
using Air = AttenuationConfig::Model;

namespace {

AttenuationConfig config(Air model, double per_km = 0.0, std::array<double, 5> c = {}) {
    return {model, per_km, c};
}

struct Published {
    Air model;
    std::array<double, 5> transmittance;  // at 0.25, 0.5, 1, 1.5 and 2 km
};

}  // namespace

TEST_CASE("Transmittance reproduces the published models") {
    const std::array<double, 5> distance{250, 500, 1000, 1500, 2000};
    const std::vector<Published> models{
        {Air::mirval, {0.965041, 0.939335, 0.895310, 0.847131, 0.801556}},
        {Air::vittitoe_biggs_clear, {0.968128, 0.944854, 0.902815, 0.865008, 0.829300}},
        {Air::vittitoe_biggs_hazy, {0.920491, 0.858155, 0.746210, 0.651235, 0.573230}}};
    for (const Published& published : models)
        for (size_t i = 0; i < distance.size(); ++i) {
            CAPTURE(i);
            const double t = transmittance(config(published.model), distance[i]);
            CHECK(t == Approx(published.transmittance[i]).margin(1e-6).epsilon(0));
        }
}

TEST_CASE("Transmittance without air is 1 and exponential otherwise") {
    for (double distance : {0.0, 300.0, 1e5}) {
        CHECK(transmittance(config(Air::none), distance) == 1.0);
        const double t = transmittance(config(Air::exponential, 0.11), distance);
        CHECK(t == Approx(std::exp(-0.11e-3 * distance)).epsilon(1e-14));
    }
}

TEST_CASE("Attenuation records agree with the reference in float precision") {
    const std::vector<AttenuationConfig> configs{
        config(Air::none),
        config(Air::mirval),
        config(Air::vittitoe_biggs_clear),
        config(Air::vittitoe_biggs_hazy),
        config(Air::exponential, 0.11),
        config(Air::polynomial, 0, {0.99, -0.1, 0.01, -0.001, 1e-5})};
    for (const AttenuationConfig& c : configs) {
        const AttenuationRecord record = attenuation_record(c);
        for (float distance : {0.0F, 10.0F, 700.0F, 1100.0F, 2500.0F, 3500.0F, 9000.0F}) {
            CAPTURE(static_cast<int>(c.model), distance);
            CHECK(transmittance(record, distance) ==
                  Approx(transmittance(c, distance)).epsilon(2e-6));
        }
    }
}

TEST_CASE("Polynomials of the air continue smoothly and never rise") {
    for (Air model : {Air::vittitoe_biggs_clear, Air::vittitoe_biggs_hazy}) {
        const AttenuationConfig c = config(model);
        const double below = (transmittance(c, 3000.0) - transmittance(c, 2999.0));
        const double above = (transmittance(c, 3001.0) - transmittance(c, 3000.0));
        CHECK(above == Approx(below).epsilon(2e-3));
        double previous = 1.0;
        for (double distance = 0; distance <= 2e4; distance += 50) {
            const double t = transmittance(c, distance);
            CHECK(t <= previous);
            CHECK(t > 0.0);
            previous = t;
        }
    }
}

TEST_CASE("Attenuation that amplifies light is refused") {
    CHECK_THROWS_AS(attenuation_record(config(Air::exponential, -0.1)), InputError);
    CHECK_THROWS_AS(attenuation_record(config(Air::exponential, NAN)), InputError);
    CHECK_THROWS_AS(attenuation_record(config(Air::polynomial, 0, {1.01})), InputError);
    CHECK_THROWS_AS(attenuation_record(config(Air::polynomial, 0, {0.9, 0.01})), InputError);
    CHECK_THROWS_AS(attenuation_record(config(Air::polynomial, 0, {0.9, -0.4})), InputError);
    CHECK_THROWS_WITH(attenuation_record(config(Air::polynomial, 0, {0.9, 0.01})),
                      ContainsSubstring("optics.attenuation.coefficients"));
    // Air that is opaque at the limit stays so.
    const AttenuationRecord opaque =
        attenuation_record(config(Air::polynomial, 0, {0.9, -0.29999}));
    CHECK(transmittance(opaque, 4000.0F) == Approx(0.0).margin(1e-4));
}
