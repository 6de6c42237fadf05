// SPDX-License-Identifier: MIT
// Every table of a configuration is read in every dialect, and refused where it is damaged.
#include "scenario/config/section.h"
#include "scenario/import/paint/splits.h"
#include "scenario/inputs/limit_table.h"
#include "scenario/inputs/table_columns.h"
#include "tests/scenario/config/support.h"
#include "tests/support/message_of.h"
#include "tests/support/table_dialects.h"

#include <fmt/format.h>

#include <functional>

using namespace helioray;
using namespace helioray::test;

namespace {

/// One reader: its table, and what it makes of a file as a text that can be compared.
struct TableReader {
    std::string name;
    std::vector<DialectColumn> columns;
    std::function<std::string(const ConfigFolder&)> read;
};

RunConfig config_with(const ConfigFolder& folder, const std::string& keys) {
    return parse_run_config(keys, "run.yaml", folder.path());
}

const std::string kTop = "scenario: plant.h5\naim: {target: receiver}\n";

std::string suns_of(const ConfigFolder& folder) {
    std::string text;
    const RunConfig config = config_with(folder, kTop + "sun: {file: table.csv}\n");
    for (const SunStep& step : config.sun.series->steps) {
        const auto& angles = std::get<SunAngles>(step.position);
        text += fmt::format(
            "{:.9f} {:.9f} {} {:.6f};", angles.azimuth, angles.elevation, angles.iso8601, step.dni);
    }
    return text;
}

std::string shape_of(const ConfigFolder& folder) {
    std::string text;
    const TableShape shape = read_sun_table(folder.path() / "table.csv");
    for (size_t i = 0; i < shape.angle.size(); ++i)
        text += fmt::format("{:.9f} {:.9f};", shape.angle[i], shape.radiance[i]);
    return text;
}

std::string aims_of(const ConfigFolder& folder) {
    std::string text;
    const std::string keys =
        "scenario: plant.h5\nsun: {azimuth_deg: 180, elevation_deg: 45}\naim: {file: table.csv}\n";
    const RunConfig config = config_with(folder, keys);
    for (const auto& [name, aim] : config.aim.heliostats) {
        text += fmt::format("{} {} {:.6f} {:.6f} {:.6f} {};",
                            name,
                            aim.target.value(),
                            aim.point.value()[0],
                            aim.point.value()[1],
                            aim.point.value()[2],
                            aim.active);
    }
    return text;
}

std::string clouds_of(const ConfigFolder& folder) {
    const std::string keys =
        kTop + "sun: {azimuth_deg: 180, elevation_deg: 45, clouds: {file: table.csv}}\n";
    const RunConfig config = config_with(folder, keys);
    const CloudConfig& clouds = config.sun.clouds.value();
    std::string text;
    for (const auto& [instant, shares] : clouds.by_heliostat)
        for (const auto& [name, share] : shares)
            text += fmt::format("{} {} {:.6f};", instant, name, share);
    if (clouds.map) {
        for (const double x : clouds.map->x) text += fmt::format("{:.6f} ", x);
        for (const double value : clouds.map->values) text += fmt::format("{:.6f} ", value);
    }
    return text;
}

std::string limits_of(const ConfigFolder& folder) {
    PlanarTarget plane;
    plane.width = 4.0;
    plane.height = 2.0;
    Scenario scenario;
    scenario.targets = {{"receiver", plane}};
    std::string text;
    const std::string keys = kSmallest + "aiming: {flux_limit: {file: table.csv}}\n";
    for (const LimitTable& table : read_limit_tables(config_with(folder, keys), scenario))
        for (const double value : table.grid.values) text += fmt::format("{:.6f} ", value);
    return text;
}

std::string splits_of(const ConfigFolder& folder) {
    PaintSplits splits;
    ReadLog log;
    const std::filesystem::path file = folder.path() / "table.csv";
    const bool is_split = splits.read(file, log);
    log.throw_if_any();
    if (!is_split) throw InputError(Problem{file.string(), "is not a split", "", ""});
    return fmt::format("{} {} {}",
                       splits.use_of("AA31", "7") == PaintUse::fitted,
                       splits.use_of("AB 2", "8") == PaintUse::predicted,
                       splits.heliostat_of("7").value_or(""));
}

std::vector<TableReader> readers() {
    return {
        {"splits",
         {{"Id", "", {"7", "8"}, true},
          {"HeliostatId", "", {"AA31", "AB 2"}, true},
          {"Split", "", {"train", "test"}, true}},
         splits_of},
        {"suns",
         {{"time", "", {"2026-06-21T10:00:00Z", "2026-06-21T11:00:00Z"}, true},
          {"azimuth", "deg", {"120.5", "150"}},
          {"elevation", "deg", {"40.25", "55.5"}},
          {"dni", "w_m2", {"700.5", "801"}}},
         suns_of},
        {"sun shape",
         {{"angle", "mrad", {"0", "4.65", "5"}}, {"radiance", "", {"1", "0.8", "0"}}},
         shape_of},
        {"aim points",
         {{"name", "", {"A1", "B 2"}, true},
          {"target", "", {"receiver", "receiver"}, true},
          {"east", "", {"1.5", "-2"}},
          {"north", "", {"0.25", "0"}},
          {"up", "", {"50", "51.125"}},
          {"active", "", {"True", "false"}, true}},
         aims_of},
        {"clouds by heliostat",
         {{"name", "", {"A1", "A2"}, true}, {"share", "", {"0.5", "1"}}},
         clouds_of},
        {"map of clouds",
         {{"east", "m", {"0", "10.5", "0", "10.5"}},
          {"north", "m", {"0", "0", "20", "20"}},
          {"share", "", {"0.5", "1", "0.25", "0"}}},
         clouds_of},
        {"flux limits",
         {{"x", "m", {"-1.5", "1.5", "-1.5", "1.5"}},
          {"y", "m", {"-1", "-1", "1", "1"}},
          {"flux_limit", "kw_m2", {"500", "600.5", "700", "800"}}},
         limits_of},
    };
}

}  // namespace

TEST_CASE("tables: every reader accepts every dialect") {
    REQUIRE(table_dialects().size() == 40);
    for (const TableReader& reader : readers()) {
        const ConfigFolder folder;
        folder.write("table.csv", table_text({.name = "plain"}, reader.columns));
        const std::string expected = reader.read(folder);
        REQUIRE_FALSE(expected.empty());
        for (const TableDialect& dialect : table_dialects()) {
            // A shape has two columns; one more could be another radiance.
            if (reader.name == "sun shape" && dialect.harmless_column) continue;
            const std::string text = table_text(dialect, reader.columns);
            INFO(reader.name << ", " << dialect.name << ":\n" << text);
            folder.write("table.csv", text);
            std::string found;
            const std::string message = test::message_of([&] { found = reader.read(folder); });
            CHECK(message == "");
            CHECK(found == expected);
        }
    }
}

TEST_CASE("tables: every reader refuses damaged tables") {
    for (const TableReader& reader : readers()) {
        const ConfigFolder folder;
        for (const RefusedDialect& damage : refused_dialects(reader.columns)) {
            // Shapes may have no header.
            if (reader.name == "sun shape" && damage.name == "no header") continue;
            INFO(reader.name << ", " << damage.name << ":\n" << damage.text);
            folder.write("table.csv", damage.text);
            const std::string message = test::message_of([&] { reader.read(folder); });
            CHECK_THAT(message, ContainsSubstring("table.csv"));
            CHECK_THAT(message, ContainsSubstring(damage.message));
        }
    }
}

TEST_CASE("tables: columns that could decide the result are refused by name") {
    for (const TableReader& reader : readers()) {
        if (reader.name == "sun shape") continue;
        const ConfigFolder folder;
        for (const char* name : {"Reflectivity", "Soiling", "Template", "Tilt (deg)", "Width"}) {
            auto columns = reader.columns;
            columns.push_back({name, "", std::vector<std::string>(columns[0].cells.size(), "0.9")});
            folder.write("table.csv", table_text({.name = "plain"}, columns));
            INFO(reader.name << ", " << name);
            CHECK_THAT(test::message_of([&] { reader.read(folder); }),
                       ContainsSubstring(fmt::format("unknown column '{}'", name)));
        }
    }
}

TEST_CASE("tables: units are converted or refused") {
    const ConfigFolder folder;
    const auto suns = [&](const std::string& text) {
        folder.write("table.csv", text);
        return suns_of(folder);
    };
    const std::string expected = suns("azimuth_deg,elevation_deg,dni_w_m2\n120,30,800\n");
    CHECK(suns("azimuth [rad],elevation [rad],DNI [kW/m2]\n2.0943951024,0.5235987756,0.8\n") ==
          expected);
    CHECK(suns("Solar Azimuth,Solar Zenith (deg),Beam\n120,60,800\n") == expected);
    CHECK(suns("SolarAzimuth;SolarZenithAngle;Gb(n)\n120;60;800\n") == expected);
    CHECK(suns("azimuth_rad,elevation_rad,dni_kw_m2\n2.0943951024,0.5235987756,0.8\n") == expected);
    CHECK(suns("azimuth,elevation,dni,beam\n120,30,800,800\n") == expected);
    CHECK_THAT(test::message_of([&] { suns("azimuth,elevation,dni,beam\n120,30,800,801\n"); }),
               ContainsSubstring("given twice (as 'dni' and 'beam'); keep one"));
    CHECK(suns("timestamp,apparent_zenith,zenith,apparent_elevation,elevation,azimuth,dni\n"
               "2026-06-21 10:00:00+00:00,60,60.01,30,29.99,120,800\n")
              .find("0.523598776 2026-06-21") != std::string::npos);
    CHECK(suns("azimuth [\xB0];elevation [\xB0];DNI [W/m\xB2]\n120;30;800\n") == expected);
    folder.write("table.csv", "time (UTC),dni\n2026-06-21T10:00:00Z,800\n");
    CHECK(config_with(folder, kTop + "sun: {file: table.csv}\n").sun.series->steps.size() == 1);
    CHECK_THAT(test::message_of([&] { suns("time,dni\n2026-06-21 10:00,800\n"); }),
               ContainsSubstring("has no offset from UTC"));
    CHECK_THAT(test::message_of([&] { suns("azimuth [gon],elevation_deg\n120,30\n"); }),
               ContainsSubstring("'gon' is no unit of column 'azimuth'"));
    CHECK_THAT(test::message_of([&] { suns("azimuth_deg,azimuth_rad,elevation_deg\n120,2,30\n"); }),
               ContainsSubstring("is given twice"));
    CHECK_THAT(
        test::message_of([&] { suns("azimuth_deg;elevation_deg;dni_w_m2\n120;30;1,234.5\n"); }),
        ContainsSubstring("write a decimal point, not a comma"));
}

TEST_CASE("tables: angles and irradiances whose size does not fit their unit") {
    const ConfigFolder folder;
    const auto read = [&](const std::string& text) {
        folder.write("table.csv", text);
        return config_with(folder, kTop + "sun: {file: table.csv}\n");
    };
    CHECK_THAT(test::message_of([&] { read("azimuth,elevation\n2.09,0.52\n3.1,0.7\n"); }),
               ContainsSubstring("azimuth and elevation seem to be in radians"));
    CHECK_THAT(test::message_of([&] { read("azimuth,zenith\n2.09,1.05\n"); }),
               ContainsSubstring("azimuth and elevation seem to be in radians"));
    CHECK(read("azimuth_deg,elevation_deg\n2.09,0.52\n").warnings.empty());
    CHECK(read("azimuth,elevation\n1,88\n3,89\n").warnings.empty());
    const RunConfig west = read("azimuth,elevation\n-90,40\n180,50\n");
    REQUIRE(west.warnings.size() == 1);
    CHECK_THAT(west.warnings[0], ContainsSubstring("taken as clockwise from north (-90 is west)"));
    const RunConfig dim = read("azimuth,elevation,dni\n90,40,0.9\n180,50,0.8\n");
    REQUIRE(dim.warnings.size() == 1);
    CHECK_THAT(dim.warnings[0], ContainsSubstring("at most 0.9 W/m2; if it is in kW/m2"));
    CHECK_THAT(test::message_of([&] { read("time,clearsky_dni\n2026-06-21T12:00:00Z,900\n"); }),
               ContainsSubstring("unknown column 'clearsky_dni' (it could decide the result)"));
    CHECK_THAT(test::message_of([&] { read("elevation_deg,azimuth_deg\n180,40\n"); }),
               ContainsSubstring("'180' is not a number from -90 to 90"));
}

TEST_CASE("tables: measured irradiance at night") {
    const ConfigFolder folder;
    folder.write("table.csv",
                 "time,azimuth_deg,elevation_deg,dni_w_m2\n2001-06-21T12:00:00Z,180,60,800\n"
                 "2001-06-21T23:00:00Z,350,-30,-0.8\n2001-06-22T00:00:00Z,5,-32,\n"
                 "2001-06-22T01:00:00Z,20,-30,nan\n2001-06-22T02:00:00Z,20,-30,-999\n");
    const RunConfig config = config_with(folder, kTop + "sun: {file: table.csv}\n");
    REQUIRE(config.sun.series->steps.size() == 5);
    CHECK_FALSE(config.sun.series->steps[0].dni_is_missing);
    for (size_t i = 1; i < 5; ++i) CHECK(config.sun.series->steps[i].dni == 0.0);
    CHECK_FALSE(config.sun.series->steps[1].dni_is_missing);
    CHECK(config.sun.series->steps[4].dni_is_missing);
}

TEST_CASE("tables: columns that are not used are named") {
    const ConfigFolder folder;
    folder.write("table.csv", "azimuth_deg,elevation_deg,ghi,remark\n120,40,500,a\n");
    const RunConfig config = config_with(folder, kTop + "sun: {file: table.csv}\n");
    REQUIRE(config.warnings.size() == 1);
    CHECK_THAT(config.warnings[0], ContainsSubstring("columns that are not used: ghi, remark"));
    // An index without a name counts the rows; other columns without a name are named.
    folder.write("table.csv", "azimuth_deg,,elevation_deg\n120,3,40\n130,9,45\n");
    const RunConfig unnamed = config_with(folder, kTop + "sun: {file: table.csv}\n");
    REQUIRE(unnamed.warnings.size() == 1);
    CHECK_THAT(unnamed.warnings[0],
               ContainsSubstring("columns that are not used: column 2 without a name"));
    CHECK(could_decide("Beam (W/m2)"));
    CHECK(could_decide("MirrorReflectivity"));
    CHECK_FALSE(could_decide("clearsky_dni"));
    CHECK_FALSE(could_decide("DNI source"));
    CHECK_FALSE(could_decide("diffuse horizontal irradiance"));
    CHECK_FALSE(could_decide("remark"));
}
