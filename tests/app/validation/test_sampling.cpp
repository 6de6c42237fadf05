// SPDX-License-Identifier: MIT
// Sobol's sequence needs fewer rays than random sampling for the same error.
#include "app/validation/sampling_study.h"
#include "app/validation/speed_fields.h"
#include "tests/app/validation/validation_support.h"

#include <cmath>

using namespace helioray;

TEST_CASE("Errors fall with the rays, faster with Sobol's sequence") {
    validation::SamplingPlan plan;
    plan.rays = {57 * 1024, 57 * 16384};
    plan.reference_factor = 32;
    plan.control = test::two_threads();
    const auto fields = validation::small_fields();
    REQUIRE(fields.size() == 2);
    for (const validation::NamedScene& field : fields) {
        const auto errors = validation::sampling_errors(field.name, field.scene, plan);
        REQUIRE(errors.size() == 2);
        INFO(field.name << "\n" << validation::sampling_table(errors));
        // Random: four times the error with a sixteenth of the rays; sixteen seeds know the power's
        // to a fifth, a map of 256 pixels far better.
        REQUIRE(errors[1].rays == 16 * errors[0].rays);
        CHECK(errors[0].power_random / errors[1].power_random > 2.0);
        CHECK(errors[0].map_random / errors[1].map_random == Approx(4.0).epsilon(0.15));
        CHECK(errors[1].map_saving() > 1.3);
        CHECK(errors[1].power_saving() > 1.0);
    }
}
