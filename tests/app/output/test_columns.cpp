// SPDX-License-Identifier: MIT
// Every declared column is in the files, the tables, the JSON and the documents where it belongs.
#include "app/output/export/export_files.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_file.h"
#include "raytracer/solvers/aiming/aim_file.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "scenario/files/columns_json.h"
#include "tests/app/output/aimed_field.h"
#include "tests/raytracer/sample_result.h"
#include "tests/raytracer/studies/annual/sample_year.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

using namespace helioray;
using test::sample_result;

namespace {

/// Names of a table are unique, and numbers have units and descriptions.
template <typename Row>
void check_declared(const Columns<Row>& columns) {
    std::set<std::string> names;
    for (const Column<Row>& column : columns) {
        INFO(column.name);
        CHECK(names.insert(column.name).second);
        CHECK_FALSE(column.description.empty());
        if (!std::holds_alternative<std::vector<std::string>>(column.type))
            CHECK_FALSE(column.unit.empty());
    }
}

/// Every column is a dataset with its unit, description and axes.
template <typename Row>
void check_stored(const hdf5::Group& group, const Columns<Row>& columns) {
    for (const Column<Row>& column : columns) {
        INFO(group.where_of(column.name));
        REQUIRE(group.contains(column.name));
        const hdf5::Dataset dataset = group.dataset(column.name);
        CHECK(dataset.read_attribute_string("unit") == column.unit);
        CHECK(dataset.read_attribute_string("description") == column.description);
        CHECK(dataset.shape().size() >= column.shape.size() + 1);
        CHECK(column.axes.size() >= column.shape.size());
    }
}

/// Rows that were written and read have the same values, and the sample sets each of them.
template <typename Row>
void check_same(const Row& written, const Row& read, const Columns<Row>& columns) {
    for (const Column<Row>& column : columns) {
        INFO(column.name);
        CHECK(row_values(read, column) == row_values(written, column));
        const bool is_term = std::holds_alternative<std::vector<double>>(column.type) &&
                             column.name.ends_with("_loss");  // some samples have no losses
        if (!column.is_list && !is_term)
            CHECK(row_values(written, column) != row_values(Row(), column));
    }
}

/// A JSON object has a member for every column that JSON does not leave out, and no empty one.
template <typename Row>
void check_printed(const nlohmann::json& object, const Columns<Row>& columns) {
    for (const Column<Row>& column : columns) {
        INFO(column.name);
        if (const std::string name = json_name(column); !name.empty())
            CHECK_FALSE(object.value(name, nlohmann::json()).is_null());
    }
}

/// A CSV file has the headers of every column, which end in the unit.
template <typename Row>
void check_csv(const std::vector<ExportFile>& files,
               const std::string& name,
               const Columns<Row>& columns) {
    const auto file = std::ranges::find(files, name, &ExportFile::name);
    REQUIRE(file != files.end());
    const std::string line = "," + file->content.substr(0, file->content.find('\n')) + ",";
    for (const Column<Row>& column : columns) {
        INFO(name << ": " << column.name);
        for (const std::string& header : csv_headers(column))
            CHECK_THAT(line, ContainsSubstring("," + header + ","));
        if (!column.csv && column.shape.empty())
            CHECK(csv_headers(column).at(0).ends_with(unit_ending(column.unit)));
    }
}

/// A document has a row with name and unit of every column; rows of energy terms have no unit.
template <typename Row>
void check_document(const std::string& path, const Columns<Row>& columns) {
    const std::string text = test::read_bytes(test::source_dir() + "/" + path);
    std::string missing;
    for (const Column<Row>& column : columns) {
        const bool is_term = std::ranges::any_of(
            energy_term_infos(), [&](const auto& term) { return term.name == column.name; });
        const std::string begin = fmt::format("\n| `{}` |", column.name);
        const std::string row = fmt::format(
            "{} {} | {} |", begin, column.unit.empty() ? "text" : column.unit, column.description);
        if (text.find(is_term ? begin : row) == std::string::npos) missing += row;
    }
    INFO(path << " lacks these rows:" << missing);
    CHECK(missing.empty());
}

/// A result with all terms, also those of receivers of several surfaces.
RunResult sample_with_receiver() {
    RunResult result = sample_result();
    for (TargetResult& target : result.targets) {
        target.target.receiver = "tower";
        target.target.absorption = SurfaceAbsorption{};
    }
    EnergyTerms& energy = result.heliostats.at(0).energy;
    energy.shield_loss = 12.0;
    energy.escape_loss = 13.0;
    energy.reflected_shield_loss = 14.0;
    energy.bounce_limit_loss = 15.0;
    energy.secondary_loss = 16.0;
    result.targets.back().target.use = SurfaceUse::mirror;
    return result;
}

}  // namespace

TEST_CASE("Every column of a result is in its files, tables, JSON and document") {
    const test::ScratchFolder folder;
    const RunResult result = sample_with_receiver();
    check_declared(heliostat_columns());
    check_declared(target_columns());
    write_result(result, folder / "run.h5");
    const RunResult read = read_result(folder / "run.h5");
    const hdf5::File file = hdf5::File::open(folder / "run.h5");
    check_stored(file.root().group("heliostats"), heliostat_columns());
    for (size_t i = 0; i < result.heliostats.size(); ++i)
        check_same(result.heliostats[i], read.heliostats[i], heliostat_columns());
    for (size_t i = 0; i < result.targets.size(); ++i)
        check_same(result.targets[i], read.targets[i], target_columns());
    check_csv(csv_files(result), "heliostats.csv", heliostat_columns());
    // Files for VTK have every number.
    const std::vector<ExportFile> files = vtk_files(result);
    const auto vtk = std::ranges::find(files, "heliostats.vtp", &ExportFile::name);
    REQUIRE(vtk != files.end());
    for (const Column<HeliostatResult>& column : heliostat_columns()) {
        INFO("heliostats.vtp: " << column.name);
        if (is_number(column))
            CHECK_THAT(vtk->content, ContainsSubstring("\"" + csv_headers(column).at(0) + "\""));
    }
    const nlohmann::json printed = summary_json(result, {});
    for (const Column<TargetResult>& column : target_columns())
        CHECK(printed.at("targets").at("receiver").contains(column.name));
    const std::string document = "raytracer/results/README.md";
    check_document(document, heliostat_columns());
    check_document(document, target_columns());
    check_document(document, pose_columns());
    check_document(document, step_columns());
    // Every term of the energy has a column.
    CHECK(energy_term_infos().size() * sizeof(double) == sizeof(EnergyTerms));
    CHECK(heliostat_quantities().size() >= energy_term_infos().size() + 2);
}

TEST_CASE("Every column of a series is in its file and in JSON") {
    const test::ScratchFolder folder;
    check_declared(step_columns());
    check_declared(pose_columns());
    SeriesStep step{"2026-06-21T12:00:00+02:00", 180.0, 45.0, 850.0, 12.5, {}, 1, "", 2.5};
    const std::vector<std::filesystem::path> parts{folder / "0.h5", folder / "1.h5"};
    for (const auto& part : parts) write_series_part(sample_with_receiver(), step, part);
    write_series(parts, sample_result().provenance, folder / "series.h5");
    const SeriesResult series = read_series(folder / "series.h5");
    const hdf5::File file = hdf5::File::open(folder / "series.h5");
    check_stored(file.root().group("series"), step_columns());
    Columns<HeliostatResult> heliostats = heliostat_columns();
    std::erase_if(heliostats, [](const auto& column) { return column.name == "orientation"; });
    check_stored(file.root().group("heliostats"), heliostats);
    check_stored(file.root().group("heliostats"), pose_columns());
    check_stored(file.root().group("targets/receiver"), target_columns());
    step.sun_direction = sample_result().provenance.sun_direction;
    step.rays = sample_result().provenance.rays;
    step.fingerprint = sample_result().provenance.fingerprint;
    check_same(step, series.steps.at(1), step_columns());
    const nlohmann::json printed = series_json(series, {});
    for (const Column<SeriesStep>& column : step_columns())
        CHECK(printed.at("series").at(column.name).size() == 2);
    SeriesTarget twice;
    append_step(twice, sample_result().targets.at(1));
    append_step(twice, sample_result().targets.at(1));
    check_same(twice, series.targets.at(1), series_target_columns());
    for (const Column<SeriesTarget>& column : series_target_columns())
        CHECK(printed.at("targets").at("receiver").at(column.name).size() == 2);
}

TEST_CASE("Every column of a year is in its file, tables and document") {
    const test::ScratchFolder folder;
    AnnualYield yield = test::sample_year(sample_result());
    yield.heliostats.at(0).defocus_loss = 5e6;
    for (const EnergyTermInfo& term : energy_term_infos())
        if (term.is_of_receivers)
            yield.energy.*term.member = yield.heliostats.at(0).energy.*term.member = 1e6;
    yield.heliostats.at(0).soiling_loss = 4e6;
    yield.heliostats.at(0).outage_loss = 3e6;
    check_declared(annual_heliostat_columns());
    check_declared(sky_columns());
    for (SkyGrid::Node& node : yield.nodes) node.temperature = 60.0 * node.elevation;
    write_annual(yield, folder / "year.h5");
    const AnnualYield read = read_annual(folder / "year.h5");
    const hdf5::File file = hdf5::File::open(folder / "year.h5");
    CHECK(read.nodes.back().temperature == yield.nodes.back().temperature);
    check_stored(file.root().group("heliostats"), annual_heliostat_columns());
    check_stored(file.root().group("sky"), sky_columns());
    check_same(yield.heliostats[0], read.heliostats.at(0), annual_heliostat_columns());
    const std::vector<ExportFile> files = annual_csv_files(yield);
    check_csv(files, "heliostats.csv", annual_heliostat_columns());
    check_csv(files, "sky.csv", sky_columns());
    check_document("raytracer/results/README.md", annual_heliostat_columns());
    check_document("raytracer/results/README.md", sky_columns());
    yield.aiming = YearAiming{"optimize", 2e9, 3, 0.9, 0.1, "a limit"};
    yield.state = YearState{0.1, 0.2};
    const nlohmann::json printed = annual_json(yield);
    check_printed(printed, year_columns());
    check_printed(printed, year_energy_columns());
    check_printed(printed.at("state"), year_state_columns());
    check_printed(printed.at("aiming"), year_aiming_columns());
    const nlohmann::json& heliostat = printed.at("heliostats").at(yield.heliostats[0].name);
    for (const YearLoss& loss : year_losses()) {
        INFO(loss.name);
        CHECK(printed.at("energy").contains(loss.name));
        CHECK(heliostat.at(std::string(loss.name) + "_j") == yield.heliostats[0].*loss.heliostat);
        CHECK(std::ranges::count(
                  annual_heliostat_columns(), std::string(loss.name), &ColumnInfo::name) == 1);
    }
}

TEST_CASE("Every column of an efficiency table is in its file and document") {
    const test::ScratchFolder folder;
    EfficiencyTable table(SunRectangle({0.5, 1.0, 1.5}, {0.2, 0.4, 0.6}));
    table.shares.resize(9);
    check_declared(efficiency_columns());
    check_declared(efficiency_target_columns());
    double next = 0.125;
    const auto numbers = [&](size_t count) {
        std::vector<double> values;
        for (size_t i = 0; i < count; ++i) values.push_back(next += 0.25);
        return ColumnValues(values);
    };
    for (const auto& column : efficiency_columns())
        if (column.name != "reached") column.assign(table, numbers(9), 0, 9);
    table.reached = {true, false, true, true, true, true, false, true, true};
    EfficiencyTarget target;
    target.target = sample_result().targets.at(1).target;
    target.width = target.height = 2;
    for (const auto& column : efficiency_target_columns()) {
        const size_t count = column.axes.empty() ? 9 : 36;
        column.assign(target, numbers(count), 0, count);
    }
    table.targets.push_back(target);
    table.checks = 1;
    write_efficiency(table, folder / "table.h5");
    const EfficiencyTable read = read_efficiency(folder / "table.h5");
    const hdf5::File file = hdf5::File::open(folder / "table.h5");
    check_stored(file.root(), efficiency_columns());
    check_stored(file.root().group("targets/receiver"), efficiency_target_columns());
    for (const auto& column : efficiency_columns())
        CHECK(row_values(read, column) == row_values(table, column));
    for (const auto& column : efficiency_target_columns())
        CHECK(row_values(read.targets.at(0), column) == row_values(target, column));
    const nlohmann::json printed = efficiency_json(table);
    check_printed(printed, efficiency_facts());
    check_printed(printed, efficiency_columns());
    CHECK(printed.at("interpolation_error").size() == 3);
    CHECK(printed.at("interpolation_error").at(0).size() == 3);
    check_document("raytracer/studies/efficiency/README.md", efficiency_columns());
    check_document("raytracer/studies/efficiency/README.md", efficiency_target_columns());
}

TEST_CASE("Every number of an aiming result is in its file, JSON and document") {
    const test::ScratchFolder folder;
    test::AimedField field = test::aimed_field();
    check_declared(aiming::aiming_columns());
    // All optional numbers are known.
    for (const auto& column : aiming::aiming_columns()) {
        if (!column.assign || !column.is_optional) continue;
        const ColumnValues values = std::holds_alternative<std::vector<double>>(column.type)
                                        ? ColumnValues(std::vector<double>{0.5})
                                        : ColumnValues(std::vector<std::int32_t>{1});
        column.assign(field.result, values, 0, 1);
    }
    aiming::write_aiming_result(field.result, field.scenario, folder / "aim.h5");
    const hdf5::File file = hdf5::File::open(folder / "aim.h5");
    const nlohmann::json printed = aiming_json(field.result, {}, 1.0);
    for (const auto& column : aiming::aiming_columns()) {
        INFO(column.name);
        CHECK(file.root().group("aiming").has_attribute(column.name));
        CHECK(printed.contains(column.name) == (column.name != "worst_limit_share_before"));
    }
    aiming::AimSeries series;
    series.steps.push_back({{}, field.result, 1.0});
    check_printed(aim_series_json(series, {}, 1.0), aiming::aiming_step_columns());
    check_document("raytracer/results/README.md", aiming::aiming_columns());
}
