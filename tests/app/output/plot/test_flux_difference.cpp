// SPDX-License-Identifier: MIT
// Differences of results: statistics and what cannot be compared.
#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/flux_difference.h"
#include "scenario/files/error.h"
#include "tests/app/output/panel_image.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

namespace {

std::vector<Problem> problems_of(const RunResult& a, const RunResult& b) {
    try {
        flux_differences(a, b, {}, "a.h5", "b.h5");
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

}  // namespace

TEST_CASE("The statistics of a difference are those of its pixels") {
    TargetResult a = test::spot("t", 2.0, 1.0, 2, 2, 0.0);
    TargetResult b = a;
    a.flux = {5.0, 1.0, 2.0, 2.0};
    b.flux = {2.0, 1.0, 6.0, 2.0};
    a.flux_std_error = {3.0, 1.0, 0.0, 0.0};
    b.flux_std_error = {4.0, 0.0, 2.0, 0.0};
    a.power_w = 10.0;
    b.power_w = 7.0;
    a.power_std_error_w = 0.6;
    b.power_std_error_w = 0.8;
    const auto d = flux_differences(test::result_with({a}), test::result_with({b}), {}, "a", "b");
    REQUIRE(d.size() == 1);
    CHECK(d[0].map.flux == std::vector<double>{3.0, 0.0, -4.0, 0.0});
    CHECK(d[0].map.flux_std_error == std::vector<double>{5.0, 1.0, 2.0, 0.0});
    CHECK(d[0].rms == Approx(2.5));
    CHECK(d[0].largest == -4.0);
    CHECK(d[0].pixels_with_error == 3);
    CHECK(d[0].rms_in_std_errors.value() ==
          Approx(std::sqrt((9.0 + 0.0 + 16.0) / (25.0 + 1.0 + 4.0))));
    CHECK(d[0].largest_in_std_errors.value() == Approx(-2.0));
    CHECK(d[0].map.power_w == Approx(3.0));
    CHECK(d[0].map.power_std_error_w == Approx(1.0));
    CHECK_THAT(difference_table(d), ContainsSubstring("-2"));

    // Where the largest difference is, no error is known.
    a.flux = {5.0, 1.0, 2.0, 90.0};
    const auto unknown =
        flux_differences(test::result_with({a}), test::result_with({b}), {}, "a", "b");
    CHECK(unknown[0].largest == 88.0);
    CHECK_FALSE(unknown[0].largest_in_std_errors.has_value());
}

TEST_CASE("Independent noise of known size is one standard error") {
    TargetResult a = test::spot("t", 2.0, 1.0, 100, 100, 0.0);
    TargetResult b = a;
    a.flux_std_error.assign(a.flux.size(), 3.0);
    b.flux_std_error.assign(a.flux.size(), 4.0);
    // Differences of +-5: exactly one standard error each.
    for (size_t i = 0; i < a.flux.size(); ++i) a.flux[i] = i % 3 == 0 ? 5.0 : -5.0;
    const auto d = flux_differences(test::result_with({a}), test::result_with({b}), {}, "a", "b");
    CHECK(d[0].rms_in_std_errors.value() == Approx(1.0));
}

TEST_CASE("What cannot be compared is reported all at once") {
    const TargetResult one = test::spot("one", 2.0, 1.0, 4, 4, 1e3);
    const TargetResult fine = test::spot("one", 2.0, 1.0, 8, 4, 1e3);
    const TargetResult large = test::spot("one", 3.0, 1.0, 4, 4, 1e3);
    const TargetResult two = test::spot("two", 2.0, 1.0, 4, 4, 1e3);
    TargetResult other_unit = one;
    other_unit.unit = std::string("1");

    CHECK_THAT(problems_of(test::result_with({one}), test::result_with({fine}))[0].what,
               ContainsSubstring("4 x 4 pixels here and 8 x 4 there"));
    CHECK_THAT(problems_of(test::result_with({one}), test::result_with({large}))[0].what,
               ContainsSubstring("2.00000 m x 1.00000 m here and 3.00000 m"));
    CHECK(problems_of(test::result_with({one}), test::result_with({other_unit})).size() == 1);
    CHECK(problems_of(test::result_with({}), test::result_with({})).size() == 1);
    const auto both = problems_of(test::result_with({one}), test::result_with({two}));
    REQUIRE(both.size() == 2);
    CHECK(both[0].where == "b.h5");
    CHECK(both[1].where == "a.h5");
    CHECK(problems_of(test::result_with({one, two}), test::result_with({fine})).size() == 2);
    // Only what is asked for counts.
    CHECK(
        flux_differences(test::result_with({one, two}), test::result_with({one}), {"one"}, "a", "b")
            .size() == 1);
    CHECK_THROWS_AS(
        flux_differences(test::result_with({one}), test::result_with({one}), {"x"}, "a", "b"),
        InputError);
}

TEST_CASE("Pictures of differences exist, also of equal results") {
    const RunResult a = test::sample_result();
    RunResult b = a;
    for (double& value : b.targets[0].flux) value *= 1.1;
    const auto d = flux_differences(a, b, {}, "a", "b");
    CHECK(draw_page(difference_page(d, a, b), PictureFormat::png, 1.0).size() > 5'000);
}

TEST_CASE("Differences of several targets share one scale") {
    const TargetResult none = test::spot("one", 2.0, 1.0, 8, 4, 0.0);
    TargetResult large = test::spot("one", 2.0, 1.0, 8, 4, 1000.0);
    TargetResult small = test::spot("two", 2.0, 1.0, 8, 4, 10.0);
    TargetResult other = none;
    other.target.name = "two";
    const auto both = flux_differences(
        test::result_with({large, small}), test::result_with({none, other}), {}, "a", "b");
    const auto alone =
        flux_differences(test::result_with({small}), test::result_with({other}), {}, "a", "b");
    const RunResult run = test::sample_result();
    const auto pixels = [](const Panel& panel) { return test::panel_image(panel, 1.0).pixels; };
    const PlotPage shared = difference_page(both, run, run);
    // On the scale of 1 kW/m2 a difference of 10 W/m2 is nearly white.
    const auto count_strong = [&](const Panel& panel) {
        const Rgb8 strongest = difference_color(1.0);
        return std::ranges::count(pixels(panel), packed_color(strongest));
    };
    const PlotPage own = difference_page(alone, run, run);
    CHECK(count_strong(*shared.panels[1]) < count_strong(*own.panels[0]));
}
