// SPDX-License-Identifier: MIT
// Exports: names, tables, folders.
#include "app/output/export/export_files.h"
#include "scenario/files/error.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <map>
#include <sstream>

using namespace helioray;

namespace {

std::map<std::string, std::string> by_name(const std::vector<ExportFile>& files) {
    std::map<std::string, std::string> map;
    for (const ExportFile& file : files) map[file.name] = file.content;
    CHECK(map.size() == files.size());
    return map;
}

std::vector<std::vector<std::string>> cells(const std::string& csv) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        if (line[0] == '#') continue;
        rows.emplace_back();
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
    }
    return rows;
}

}  // namespace

TEST_CASE("A map as a table has its axes and exact values") {
    const RunResult result = test::sample_result();
    const auto files = by_name(csv_files(result));
    CHECK(files.size() == 5);
    const auto rows = cells(files.at("flux_receiver.csv"));
    REQUIRE(rows.size() == 5);
    // 8.6 m in 5 columns, 7.2 m in 4 rows.
    CHECK(std::stod(rows[0][1]) == Approx(-3.44));
    CHECK(std::stod(rows[0][5]) == Approx(3.44));
    CHECK(std::stod(rows[1][0]) == Approx(2.7));
    CHECK(std::stod(rows[4][0]) == Approx(-2.7));
    for (size_t i = 0; i < 20; ++i) {
        CHECK(std::stod(rows[1 + i / 5][1 + i % 5]) == result.targets[1].flux[i]);
    }
    CHECK_THAT(files.at("flux_receiver.csv"), ContainsSubstring("unit W/m2"));
    CHECK(std::stod(cells(files.at("std_error_receiver.csv"))[1][1]) ==
          result.targets[1].flux_std_error[0]);
}

TEST_CASE("The table of heliostats has a column per quantity with its unit") {
    RunResult result = test::sample_result();
    result.heliostats[1].energy = {};
    const auto rows = cells(by_name(csv_files(result)).at("heliostats.csv"));
    REQUIRE(rows.size() == 4);
    std::map<std::string, size_t> column;
    for (size_t i = 0; i < rows[0].size(); ++i) column[rows[0][i]] = i;
    for (const auto& row : rows) CHECK(row.size() == rows[0].size());
    const HeliostatResult& h = result.heliostats[2];
    CHECK(rows[3][column.at("name")] == "AA39");
    CHECK(std::stod(rows[3][column.at("target_power_w")]) == h.energy.target_power);
    CHECK(std::stod(rows[3][column.at("cosine_loss_w")]) == h.energy.cosine_loss);
    CHECK(std::stod(rows[3][column.at("efficiency")]) ==
          h.energy.target_power / h.energy.solar_power);
    CHECK(std::stod(rows[3][column.at("motor_position_2")]) == h.motor_positions[1]);
    CHECK(std::stod(rows[3][column.at("north_m")]) == h.orientation[7]);
    CHECK(rows[2][column.at("efficiency")] == "nan");

    // ARTIST's rays without a power are not watts.
    for (TargetResult& t : result.targets) t.unit = std::string("1");
    const auto weights = cells(by_name(csv_files(result)).at("heliostats.csv"));
    CHECK(std::ranges::count(weights[0], "target_power_std_error") == 1);
    CHECK(std::ranges::count(weights[0], "target_power_std_error_w") == 0);
}

TEST_CASE("Names with separators are quoted, file names are harmless and unique") {
    RunResult result = test::sample_result();
    result.heliostats[0].name = "a,\"b\"";
    result.targets[0].target.name = "../x y";
    result.targets[1].target.name = "..\\X_Y";
    const auto files = by_name(csv_files(result));
    CHECK(files.count("flux_.._x_y.csv") == 1);
    CHECK(files.count("flux_.._X_Y_2.csv") == 1);
    CHECK_THAT(files.at("heliostats.csv"), ContainsSubstring("\n\"a,\"\"b\"\"\",receiver,"));

    CHECK(file_name_part("Jülich-1.a") == "Jülich-1.a");
    CHECK(file_name_part(std::string(500, 'a')).size() == 120);
    // Not in the middle of a character.
    std::string umlauts = "a";
    for (int i = 0; i < 100; ++i) umlauts += "ü";
    CHECK(file_name_part(umlauts).size() == 119);
}

TEST_CASE("Folders are created, files replaced, others kept") {
    const test::ScratchFolder folder;
    const std::vector<ExportFile> files{{"a.csv", "1"}, {"b.csv", "2"}};
    write_files(files, folder / "new");
    CHECK(test::read_bytes(folder / "new" / "b.csv") == "2");
    test::write_bytes(folder / "new" / "a.csv", "old");
    test::write_bytes(folder / "new" / "c.csv", "mine");
    write_files(files, (folder / "new").string() + "/");
    CHECK(test::read_bytes(folder / "new" / "a.csv") == "1");
    CHECK(test::read_bytes(folder / "new" / "c.csv") == "mine");

    CHECK_THROWS_AS(write_files(files, folder / "no" / "such"), InputError);
    test::write_bytes(folder / "file", "x");
    CHECK_THROWS_AS(write_files(files, folder / "file"), InputError);
    CHECK_THROWS_AS(write_files(files, ""), InputError);
    CHECK(folder.num_entries() == 2);
}

TEST_CASE("A full disk leaves neither files nor an empty folder") {
    const test::ScratchFolder folder;
    const std::vector<ExportFile> files{{"a.csv", "1"}, {"b.csv", std::string(10'000, 'b')}};
    bool failed = false;
    {
        const test::FullDisk full(4096);
        try {
            write_files(files, folder / "new");
        } catch (const std::runtime_error&) {
            failed = true;
        }
    }
    CHECK(failed);
    CHECK(folder.num_entries() == 0);
}

TEST_CASE("Without outlines heliostats are points") {
    RunResult result = test::sample_result();
    CHECK_THAT(by_name(vtk_files(result)).at("heliostats.vtp"),
               ContainsSubstring("NumberOfPolys=\"3\""));
    result.heliostats[0].mirror_outline.reset();
    CHECK_THAT(by_name(vtk_files(result)).at("heliostats.vtp"),
               ContainsSubstring("NumberOfVerts=\"3\""));
}
