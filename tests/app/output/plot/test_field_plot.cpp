// SPDX-License-Identifier: MIT
// Quantities of heliostats and the field from above.
#include "app/output/plot/field_plot.h"
#include "scenario/files/error.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

TEST_CASE("Quantities have the values of the energy terms") {
    const RunResult result = test::sample_result();
    const HeliostatResult& h = result.heliostats[1];
    // Efficiency, standard error and reflectivity, besides the energy terms.
    CHECK(heliostat_quantities().size() == energy_term_infos().size() + 3);
    CHECK(heliostat_quantity("efficiency", "x").value(h) ==
          h.energy.target_power / h.energy.solar_power);
    CHECK(heliostat_quantity("cosine", "x").value(h) == h.energy.cosine_loss);
    CHECK(heliostat_quantity("cosine_loss", "x").share(h) ==
          h.energy.cosine_loss / h.energy.solar_power);
    CHECK(heliostat_quantity("target", "x").value(h) == h.energy.target_power);
    CHECK(heliostat_quantity("target_power_std_error", "x").value(h) == h.target_power_std_error);

    HeliostatResult dark = h;
    dark.energy = {};
    CHECK(std::isnan(heliostat_quantity("efficiency", "x").value(dark)));
    CHECK(std::isnan(heliostat_quantity("blocking", "x").share(dark)));
}

TEST_CASE("An unknown quantity is answered with the list and the nearest name") {
    try {
        heliostat_quantity("cosin_loss", "--field");
        FAIL("accepted");
    } catch (const InputError& error) {
        const Problem& problem = error.problems().front();
        CHECK(problem.where == "--field");
        CHECK_THAT(problem.advice, ContainsSubstring("did you mean 'cosine_loss'"));
        CHECK_THAT(problem.advice, ContainsSubstring("spillage_loss, shield_loss, escape_loss"));
    }
}

TEST_CASE("Fields are drawn with outlines, without, and without sun") {
    RunResult result = test::sample_result();
    const HeliostatQuantity& efficiency = heliostat_quantity("efficiency", "x");
    for (const FieldUnit unit : {FieldUnit::percent, FieldUnit::power}) {
        for (const char* name : {"efficiency", "shading", "target_power_std_error"}) {
            const auto page = field_page(result, heliostat_quantity(name, "x"), unit);
            CHECK(draw_page(page, PictureFormat::png, 1.0).size() > 5'000);
        }
    }
    for (HeliostatResult& h : result.heliostats) {
        h.mirror_outline.reset();
        h.energy = {};
    }
    const auto dark = field_page(result, efficiency, FieldUnit::percent);
    CHECK(draw_page(dark, PictureFormat::svg, 1.0).size() > 5'000);
    result.heliostats.clear();
    CHECK_THROWS_AS(field_page(result, efficiency, FieldUnit::percent), InputError);
}

TEST_CASE("Names of targets keep clear of each other, of the symbols and of the frame") {
    // Four targets of one tower near the lower edge of a plan, and one beside it.
    const PageBox frame{100.0, 50.0, 300.0, 350.0};
    std::vector<PageBox> taken;
    for (const double y : {375.0, 372.0, 377.0, 380.0}) taken.push_back({255.0, y, 20.0, 6.4});
    taken.push_back({212.0, 376.0, 12.0, 6.4});
    const std::vector<PageBox> symbols = taken;
    for (const PageBox& symbol : symbols) {
        const PageBox label = label_place(frame, symbol, taken, 110.0, 12.0);
        CHECK(label.x >= frame.x);
        CHECK(label.x + label.width <= frame.x + frame.width);
        CHECK(label.y >= frame.y);
        CHECK(label.y + label.height <= frame.y + frame.height);
        for (const PageBox& o : taken) {
            const bool apart = label.x >= o.x + o.width || o.x >= label.x + label.width ||
                               label.y >= o.y + o.height || o.y >= label.y + label.height;
            CHECK(apart);
        }
        taken.push_back(label);
    }
    // The first of them stands beside its symbol.
    CHECK(taken[5].x == symbols[0].x + symbols[0].width + 5.0);
    CHECK(taken[5].y + 6.0 == Approx(symbols[0].y + 3.2));
    // A name that is wider than the frame begins at its edge.
    CHECK(label_place(frame, symbols[0], taken, 400.0, 12.0).x == frame.x + 3.0);
}
