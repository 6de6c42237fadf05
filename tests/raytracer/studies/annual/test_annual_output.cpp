// SPDX-License-Identifier: MIT
// Files, tables, pictures and report of a year.
#include "app/output/export/export_files.h"
#include "app/output/plot/annual_plot.h"
#include "app/output/plot/field_plot.h"
#include "app/output/report/html_report.h"
#include "raytracer/studies/annual/annual_file.h"
#include "scenario/files/csv.h"
#include "scenario/files/error.h"
#include "tests/raytracer/studies/annual/sample_year.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace helioray;

namespace {

const CsvTable& table_of(const std::vector<ExportFile>& files, const std::string& name) {
    static CsvTable table;
    const auto file = std::ranges::find(files, name, &ExportFile::name);
    REQUIRE(file != files.end());
    table = parse_csv(file->content, name);
    return table;
}

double cell(const CsvTable& table, size_t row, const std::string& column) {
    const auto& header = table.rows.at(0).cells;
    const auto at = std::ranges::find(header, column);
    REQUIRE(at != header.end());
    return std::stod(table.rows.at(row + 1).cells.at(static_cast<size_t>(at - header.begin())));
}

size_t count_of(const std::string& text, const std::string& word) {
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

}  // namespace

TEST_CASE("A year comes back from its file, with how the plant stands") {
    const RunResult standing = test::sample_result();
    const AnnualYield yield = test::sample_year(standing);
    const test::ScratchFolder folder;
    write_annual(yield, folder / "year.h5");
    const AnnualYield read = read_annual(folder / "year.h5");
    CHECK(read.on_targets.value == yield.on_targets.value);
    CHECK(read.usable.months == yield.usable.months);
    CHECK(read.efficiency == yield.efficiency);
    REQUIRE(read.plan);
    REQUIRE(read.plan->heliostats.size() == standing.heliostats.size());
    for (size_t i = 0; i < standing.heliostats.size(); ++i) {
        const HeliostatResult& h = read.plan->heliostats[i];
        CHECK(h.name == standing.heliostats[i].name);
        CHECK(h.orientation == standing.heliostats[i].orientation);
        CHECK(h.aim_point == standing.heliostats[i].aim_point);
        CHECK(h.mirror_outline == standing.heliostats[i].mirror_outline);
        CHECK(h.energy.cosine_loss == yield.heliostats[i].energy.cosine_loss);
        CHECK(h.target_power_std_error == yield.heliostats[i].on_target.std_error);
    }
    CHECK(read.plan->targets[0].target == standing.targets[0].target);
    CHECK(read.plan->targets[1].target == standing.targets[1].target);
    CHECK(energy_unit(*read.plan) == "J");

    // As earlier versions wrote it.
    AnnualYield bare = yield;
    bare.plan.reset();
    write_annual(bare, folder / "bare.h5");
    const AnnualYield old = read_annual(folder / "bare.h5");
    CHECK_FALSE(old.plan);
    CHECK_THROWS_AS(find_plan(old, "bare.h5"), InputError);
    CHECK_THROWS_AS(annual_report(old, {}, "bare.h5"), InputError);
    CHECK(months_page(old).panels.size() == 1);
}

TEST_CASE("A plan of another plant is refused") {
    RunResult standing = test::sample_result();
    AnnualYield yield = test::sample_year(standing);
    std::swap(standing.heliostats[0], standing.heliostats[1]);
    CHECK_THROWS_AS(set_plan(yield, standing), std::invalid_argument);
    standing.heliostats.pop_back();
    CHECK_THROWS_AS(set_plan(yield, standing), std::invalid_argument);
}

TEST_CASE("Tables hold months, heliostats and sun positions exactly") {
    RunResult standing = test::sample_result();
    standing.heliostats[1].name = "A, \"1\"";
    const AnnualYield yield = test::sample_year(standing);
    const auto files = annual_csv_files(yield);
    REQUIRE(files.size() == 3);

    const CsvTable months = table_of(files, "months.csv");
    REQUIRE(months.rows.size() == 13);
    CHECK(cell(months, 4, "month") == 5);
    CHECK(cell(months, 4, "usable_insolation_j_m2") == yield.usable.months[4]);
    CHECK(cell(months, 4, "solar_energy_j") == Approx(60.0 * yield.usable.months[4]));
    CHECK(cell(months, 4, "target_energy_j") == yield.on_targets.months[4]);
    CHECK(cell(months, 4, "efficiency") == Approx(0.7));
    double parts = 0.0;
    for (const AnnualTarget& target : yield.targets)
        parts += cell(months, 4, "target_energy_" + target.name + "_j");
    CHECK(parts == Approx(yield.on_targets.months[4]));

    const CsvTable heliostats = table_of(files, "heliostats.csv");
    REQUIRE(heliostats.rows.size() == 4);
    CHECK(heliostats.rows[2].cells[0] == "A, \"1\"");
    CHECK(cell(heliostats, 1, "cosine_loss_j") == yield.heliostats[1].energy.cosine_loss);
    CHECK(cell(heliostats, 1, "target_energy_month_12_j") ==
          yield.heliostats[1].on_target.months[11]);
    CHECK(cell(heliostats, 1, "efficiency") == Approx(0.7));
    CHECK(cell(heliostats, 1, "north_m") == standing.heliostats[1].orientation[7]);

    const CsvTable sky = table_of(files, "sky.csv");
    REQUIRE(sky.rows.size() == 10);
    CHECK(cell(sky, 8, "weight_j_m2") == yield.weights[8]);
    CHECK(cell(sky, 8, "elevation_deg") == Approx(0.9 * 180.0 / 3.14159265358979));
}

TEST_CASE("Quantities of a year have energies' names") {
    CHECK(annual_quantities().size() == heliostat_quantities().size() + 3);
    for (const HeliostatQuantity& quantity : annual_quantities()) {
        CHECK(quantity.name.find("power") == std::string::npos);
        CHECK(quantity.title.find("power") == std::string::npos);
    }
    const HeliostatQuantity& target = heliostat_quantity("target", "x", annual_quantities());
    CHECK(target.name == "target_energy");
    const AnnualYield yield = test::sample_year(test::sample_result());
    CHECK(target.value(yield.plan->heliostats[2]) == yield.heliostats[2].on_target.value);
    CHECK_THROWS_AS(heliostat_quantity("target_power", "x", annual_quantities()), InputError);
}

TEST_CASE("Months are drawn with a bar for every target and the sun") {
    const AnnualYield yield = test::sample_year(test::sample_result());
    // SVG has one filled path per bar and per field of the legend; texts are glyphs.
    const auto fills = [](const AnnualYield& year, const std::string& colour) {
        std::string svg = draw_page(months_page(year), PictureFormat::svg, 1.0);
        // Cairo 1.16 writes "rgb(0%,44.7%,69.8%)", 1.18 "rgb(0%, 44.7%, 69.8%)".
        std::erase(svg, ' ');
        return count_of(svg, colour);
    };
    const std::string blue = "rgb(0%,44.";
    const std::string green = "rgb(0%,6";
    const std::string orange = "rgb(90.";
    CHECK(fills(yield, orange) == 13);
    CHECK(fills(yield, blue) == 13);
    CHECK(fills(yield, green) == 13);

    AnnualYield dark = yield;
    dark.usable.months[11] = dark.on_targets.months[11] = 0.0;
    for (AnnualTarget& target : dark.targets) target.energy.months[11] = -1e-9;
    CHECK(fills(dark, orange) == 12);
    CHECK(fills(dark, blue) == 12);

    AnnualYield nothing = yield;
    nothing.usable = {};
    nothing.on_targets = {};
    nothing.energy = {};
    for (AnnualTarget& target : nothing.targets) target.energy = {};
    CHECK(fills(nothing, orange) == 1);
    CHECK(fills(nothing, blue) == 0);
}

TEST_CASE("Many small targets are one part of the bars") {
    AnnualYield yield = test::sample_year(test::sample_result());
    const AnnualTarget target = yield.targets[0];
    for (int i = 0; i < 40; ++i) {
        yield.targets.push_back(target);
        yield.targets.back().name = "a rather long name of target number " + std::to_string(i);
    }
    Canvas measure;
    const MonthsPanel panel(yield, measure);
    CHECK(panel.height() < 550.0);
    CHECK(draw_page(months_page(yield), PictureFormat::png, 1.0).size() > 5'000);
}

TEST_CASE("The field of a year is drawn by shares and by energy") {
    const AnnualYield yield = test::sample_year(test::sample_result());
    for (const char* name : {"efficiency", "target", "cosine"}) {
        const HeliostatQuantity& quantity = heliostat_quantity(name, "x", annual_quantities());
        for (const FieldUnit unit : {FieldUnit::percent, FieldUnit::power}) {
            const auto page = field_page(*yield.plan, quantity, unit);
            CHECK(draw_page(page, PictureFormat::png, 1.0).size() > 5'000);
        }
    }
}

TEST_CASE("The report of a year has months, energies and data of its own") {
    AnnualYield yield = test::sample_year(test::sample_result());
    yield.notes = {"2.0 hours are <missing>"};
    const std::string page = annual_report(yield, "Plant & year", "year.h5");
    for (const char* part : {"Plant &amp; year",
                             "<h2>Months</h2>",
                             "<svg class=\"year\"",
                             "2.0 hours are &lt;missing&gt;",
                             "<div title=\"",
                             ">solar energy<",
                             ">target energy<",
                             "MWh",
                             "clear sky of 2026, Hottel"})
        CHECK_THAT(page, ContainsSubstring(part));
    CHECK(page.find("solar power<") == std::string::npos);
    const size_t begin = page.find("application/json\">") + 18;
    const auto data =
        nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
    CHECK(data["terms"]["unit"] == "MWh");
    CHECK(data["terms"]["factor"].get<double>() == Approx(1.0 / 3.6e9));
    CHECK(data["heliostats"][data["terms"]["solar"].get<std::string>()][1] ==
          yield.heliostats[1].energy.solar_power);
    CHECK(data["heliostats"]["target_energy"].size() == 3);
}
