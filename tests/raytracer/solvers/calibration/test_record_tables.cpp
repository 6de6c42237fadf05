// SPDX-License-Identifier: MIT
// Tables of calibration records in every dialect, and the columns that they do not use.
#include "raytracer/solvers/calibration/field_records.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/check_dialects.h"

#include <fmt/format.h>

using namespace helioray;
using namespace helioray::test;

namespace {

Scenario small_scenario() {
    PlanarTarget plane;
    plane.center = {0, -3, 40};
    plane.normal = {0, 1, 0};
    plane.width = 8;
    plane.height = 6;
    Scenario scenario;
    scenario.targets = {{"wall", plane}};
    scenario.heliostats.resize(2);
    scenario.heliostats[0].name = "AA 31";
    scenario.heliostats[1].name = "AB";
    return scenario;
}

std::vector<DialectColumn> record_columns() {
    return {{"record", "", {"7", "8"}, true},
            {"heliostat", "", {"AA 31", "AB"}, true},
            {"target", "", {"wall", "wall"}, true},
            {"axis_1_motor_position", "", {"16963", "17000.5"}},
            {"axis_2_motor_position", "", {"72374", "72000"}},
            {"spot_east", "m", {"0.25", "-0.5"}},
            {"spot_north", "m", {"-3", "-3"}},
            {"spot_up", "m", {"40.125", "39"}},
            {"sun_azimuth", "deg", {"170", "180.5"}},
            {"sun_elevation", "deg", {"40.25", "55"}}};
}

std::string values_of(const std::map<std::string, calibration::ReadRecords>& records) {
    std::string values;
    for (const auto& [name, read] : records) {
        for (const calibration::SpotRecord& record : read.records) {
            values += fmt::format("{} {} {} {} {:.9f} {:.9f} {:.9f} {:.9f};",
                                  name,
                                  record.id,
                                  record.motor_positions[0],
                                  record.motor_positions[1],
                                  record.spot[0],
                                  record.spot[1],
                                  record.to_sun[0],
                                  record.to_sun[2]);
        }
    }
    return values;
}

}  // namespace

TEST_CASE("Tables of calibration records are read in every dialect") {
    const TemporaryFolder folder;
    const Scenario scenario = small_scenario();
    check_every_dialect(
        folder.path() / "records.csv", record_columns(), [&](const std::filesystem::path& file) {
            calibration::RecordFiles files;
            files.tables = {file};
            return values_of(read_records(files, scenario));
        });
}

TEST_CASE("Tables of calibration records: columns that are not used are named") {
    const TemporaryFolder folder;
    calibration::RecordFiles files;
    files.tables = {folder.path() / "records.csv"};
    auto columns = record_columns();
    columns.push_back({"operator", "", {"a", "b"}, true});
    std::ofstream(files.tables[0]) << table_text({.name = "plain"}, columns);
    std::vector<std::string> remarks;
    CHECK_FALSE(values_of(read_records(files, small_scenario(), &remarks)).empty());
    REQUIRE(remarks.size() == 1);
    CHECK(remarks[0].ends_with("columns that are not used: operator"));
}
