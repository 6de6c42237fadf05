// SPDX-License-Identifier: MIT
// Pictures and tables of whole series: chosen steps, axes of time, graphs, differences.
#include "app/output/export/export_files.h"
#include "app/output/plot/panels/step_axis.h"
#include "app/output/plot/series_difference.h"
#include "app/output/plot/series_plot.h"
#include "app/output/report/series_report.h"
#include "raytracer/results/result_columns.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

#include <algorithm>

using namespace helioray;

namespace {

/// A day of the sample plant: the power of step k is k + 1 times that of the sample, at full hours
/// from `first` on.
struct SampleDay {
    SeriesResult series;

    explicit SampleDay(size_t steps, int first = 6, bool has_times = true) {
        const RunResult plant = test::sample_result();
        series.provenance = plant.provenance;
        for (const TargetResult& target : plant.targets) {
            SeriesTarget& added = series.targets.emplace_back();
            added.name = target.target.name;
            added.unit = target.unit;
        }
        for (const HeliostatResult& heliostat : plant.heliostats) {
            series.heliostats.push_back(heliostat.name);
            series.heliostat_targets.push_back(heliostat.target);
        }
        for (size_t k = 0; k < steps; ++k) {
            const RunResult step = result(k);
            SeriesStep facts;
            if (has_times)
                facts.time = fmt::format(
                    "2026-06-{:02}T{:02}:00:00+02:00", 21 + (first + k) / 24, (first + k) % 24);
            facts.dni_w_m2 = 850.0;
            series.steps.push_back(facts);
            for (size_t t = 0; t < step.targets.size(); ++t)
                append_step(series.targets[t], step.targets[t]);
            for (const HeliostatResult& heliostat : step.heliostats) {
                series.energy.push_back(heliostat.energy);
                series.target_power_std_error.push_back(heliostat.target_power_std_error);
            }
        }
    }

    /// The result of a step. Its maps and energies grow with its number.
    static RunResult result(size_t k) {
        RunResult step = test::sample_result();
        const double more = static_cast<double>(k + 1);
        for (TargetResult& target : step.targets) {
            for (double& pixel : target.flux) pixel *= more;
            target.power_w *= more;
            target.peak_pixel_w_m2 *= more;
        }
        for (HeliostatResult& heliostat : step.heliostats)
            for (const EnergyTermInfo& term : energy_term_infos())
                heliostat.energy.*term.member *= more;
        return step;
    }

    ReadStep read() const {
        return [](size_t k) { return result(k); };
    }
};

std::string svg_of(const PlotPage& page) {
    return draw_page(page, PictureFormat::svg, 1.0);
}

}  // namespace

TEST_CASE("Chosen steps are spread, ascending, and include the strongest") {
    SampleDay day(20);
    CHECK(choose_steps(day.series, 20).size() == 20);
    std::swap(day.series.targets[0].power_w[7], day.series.targets[0].power_w[19]);
    const std::vector<size_t> chosen = choose_steps(day.series, 5);
    CHECK(chosen.size() == 5);
    CHECK(std::ranges::is_sorted(chosen));
    CHECK(std::ranges::count(chosen, day.series.strongest_step()) == 1);
    CHECK(chosen.front() == 0);
}

TEST_CASE("Axes of steps have times of day, dates, or numbers without times") {
    const StepAxis day = make_step_axis(SampleDay(14).series, 400.0);
    CHECK(day.places.front() == 6.0);
    CHECK(day.places.back() == 19.0);
    CHECK(std::ranges::count(day.axis.ticks.labels, "12:00") == 1);
    CHECK(day.axis.label == "Time of 2026-06-21 (UTC+02:00)");
    CHECK(day.breaks.empty());

    const StepAxis days = make_step_axis(SampleDay(60, 0).series, 400.0);
    CHECK(std::ranges::count(days.axis.ticks.labels, "06-22") == 1);

    const SampleDay angles(5, 6, false);
    const StepAxis steps = make_step_axis(angles.series, 400.0);
    CHECK(steps.axis.label == "Step");
    CHECK(std::ranges::count(steps.axis.ticks.labels, "4") == 1);
    CHECK(short_step_name(angles.series, 3) == "step 3");
    CHECK(short_step_name(SampleDay(5).series, 3) == "09:00");
    CHECK(time_span_text(SampleDay(5).series) == "2026-06-21 06:00 to 10:00 (UTC+02:00)");
    CHECK(time_span_text(angles.series).empty());
}

TEST_CASE("The summary names span, steps, irradiance and the energy of the day") {
    const SampleDay day(3);
    const std::string text = series_summary_text(day.series);
    for (const char* part :
         {"2026-06-21 06:00 to 08:00", "3 steps", "DNI 850 W/m²", "3 heliostats"})
        CHECK_THAT(text, ContainsSubstring(part));
    // Powers 1, 2 and 3 times the sample's: 2 hours of twice its power.
    const double joules = 2.0 * 3600.0 * 2.0 * power_on_targets(test::sample_result());
    CHECK_THAT(text, ContainsSubstring("Energy of the day " + energy_text(joules)));
    CHECK_THAT(text, !ContainsSubstring("°C"));
    CHECK(energy_of_days_text(SampleDay(3, 6, false).series).empty());
}

TEST_CASE("Pages of series have graphs and maps of several steps") {
    const SampleDay day(12);
    const PlotPage page = series_page(day.series, day.read());
    // A row of graphs, and a row of maps for each target.
    CHECK(page.panels.size() == 3);
    CHECK(svg_of(page).size() > 20'000);
    PlotOptions one;
    one.targets = {day.series.targets[0].name};
    one.logarithmic = one.contours = true;
    CHECK(series_page(day.series, day.read(), one).panels.size() == 3);
    one.cuts = true;
    CHECK_THROWS_AS(series_page(day.series, day.read(), one), InputError);
    PlotOptions unknown;
    unknown.targets = {"nowhere"};
    CHECK_THROWS_AS(series_page(day.series, day.read(), unknown), InputError);
    const SampleDay angles(2, 6, false);
    CHECK(svg_of(series_page(angles.series, angles.read())).size() > 20'000);
}

TEST_CASE("Differences of series are those of their powers, with the errors of both") {
    const SampleDay day(4);
    SampleDay other(4);
    for (double& power : other.series.targets[0].power_w) power += 5.0;
    const NamedSeries first{day.series, day.read(), "a.h5"};
    const NamedSeries second{other.series, other.read(), "b.h5"};
    const SeriesDifference difference = series_difference(first, second);
    for (size_t step = 0; step < 4; ++step) {
        CHECK(difference.power_w[step] == Approx(-5.0));
        CHECK(difference.std_error_w[step] ==
              Approx(std::sqrt(2.0) * power_std_error(day.series, step)));
    }
    CHECK(series_difference_page(first, second, {}).panels.size() == 3);
    CHECK_THAT(series_difference_table(first, second), ContainsSubstring("2026-06-21T07:00"));
    const SampleDay shorter(3);
    const SampleDay later(4, 7);
    CHECK_THROWS_AS(series_difference(first, {shorter.series, shorter.read(), "c"}), InputError);
    CHECK_THROWS_AS(series_difference(first, {later.series, later.read(), "d"}), InputError);
}

TEST_CASE("Tables of series have a row per step, per heliostat, and the powers of heliostats") {
    const SampleDay day(3);
    const auto durations = series_durations(day.series);
    const auto files =
        series_csv_files(day.series, series_plan(day.series, durations, day.read()(0)));
    REQUIRE(files.size() == 3);
    CHECK(files[0].name == "steps.csv");
    CHECK(std::ranges::count(files[0].content, '\n') == 4);
    const std::string header = files[0].content.substr(0, files[0].content.find('\n'));
    for (const char* name : {"step,time,azimuth_deg",
                             "dni_w_m2",
                             "duration_s",
                             "efficiency",
                             "target_power_w",
                             "power_w:",
                             "peak_flux_w_m2:"})
        CHECK_THAT(header, ContainsSubstring(name));
    CHECK(files[1].name == "heliostats.csv");
    CHECK_THAT(files[1].content, ContainsSubstring("target_energy_j"));
    CHECK(files[2].name == "heliostat_power.csv");
    CHECK_THAT(files[2].content, ContainsSubstring("0,2026-06-21T06:00:00+02:00,"));
}

TEST_CASE("Reports of series have a slider, of which one step is visible") {
    const SampleDay day(30);
    const std::string page = series_report(day.series, day.read(), "Day & night");
    const auto count = [&page](const std::string& text) {
        size_t found = 0;
        for (size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1))
            ++found;
        return found;
    };
    CHECK(count("<div class=\"step\"") == 25);
    CHECK(count("<div class=\"step\" hidden>") == 24);
    CHECK(count("id=\"step\"") == 1);
    CHECK_THAT(page, ContainsSubstring("Day &amp; night"));
    CHECK_THAT(page, ContainsSubstring("Energy of the day"));
    CHECK(count("<h2>Steps</h2>") == 1);
}

TEST_CASE("Summaries and reports of series show temperatures if all steps have one") {
    SampleDay day(3);
    const auto page = [&day] { return series_report(day.series, day.read(), "Day"); };
    for (size_t k = 0; k < 2; ++k)
        day.series.steps[k].temperature_c = 12.25 * static_cast<double>(k) - 5.0;
    CHECK_THAT(page(), !ContainsSubstring("Temperature (°C)"));
    day.series.steps[2].temperature_c = 31.75;
    CHECK_THAT(series_summary_text(day.series), ContainsSubstring("  ·  -5 to 31.75 °C  ·  "));
    CHECK_THAT(page(), ContainsSubstring("Temperature (°C)"));
    // Irradiance and temperature of the steps.
    for (const char* cells : {"<td>850.0</td><td>-5.0</td>", "<td>850.0</td><td>7.2</td>"})
        CHECK_THAT(page(), ContainsSubstring(cells));
    for (SeriesStep& step : day.series.steps) step.temperature_c = 20.0;
    CHECK_THAT(series_summary_text(day.series), ContainsSubstring("  ·  20 °C  ·  "));
}
