// SPDX-License-Identifier: MIT
// The comparison itself: what fails, fails.
#include "scenario/files/error.h"
#include "tests/app/validation/validation_support.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace helioray;
using validation::Row;

namespace {

Row row(double ours, double tolerance = 0.1) {
    return {"X", "title", "power", "kW", 1.0, "closed form", ours, 0.0, tolerance, ""};
}

}  // namespace

TEST_CASE("Rows outside of their tolerance, without a number or not run do not pass") {
    CHECK(row(1.05).pass());
    CHECK(row(0.95).pass());
    CHECK_FALSE(row(1.11).pass());
    CHECK_FALSE(row(0.89).pass());
    CHECK_FALSE(row(std::nan("")).pass());
    CHECK_FALSE(row(1.0, std::nan("")).pass());
    Row not_run = row(1.0);
    not_run.note = "not available";
    CHECK_FALSE(not_run.pass());

    CHECK(validation::all_pass({row(1.0)}));
    CHECK_FALSE(validation::all_pass({row(1.0), not_run}));
    CHECK_FALSE(validation::all_pass({}));
}

TEST_CASE("Rows as text and JSON count the same") {
    Row not_run = row(1.0);
    not_run.note = "cannot be traced here";
    const std::vector<Row> rows{row(1.0), row(2.0), not_run};
    const std::string text = validation::rows_table(rows);
    CHECK_THAT(text, ContainsSubstring("1 of 3 rows pass"));
    CHECK_THAT(text, ContainsSubstring("FAIL"));
    CHECK_THAT(text, ContainsSubstring("cannot be traced here"));
    const auto json = validation::rows_json(rows);
    CHECK(json["passed"] == 1);
    CHECK(json["failed"] == 2);
    REQUIRE(json["rows"].size() == 3);
    CHECK(json["rows"][0]["pass"] == true);
    CHECK(json["rows"][1]["ours"] == 2.0);
    CHECK(json["rows"][2]["note"] == "cannot be traced here");
}

TEST_CASE("Cases are chosen by id or title") {
    validation::Effort effort;
    effort.rays = 10'000;
    const auto rows = validation::validate(effort, "B1.2.4");
    REQUIRE(rows.size() == 4);  // two quantities, two identities
    CHECK(rows[0].id == "B1.2.4");
    CHECK(rows[3].id == "I2");
    CHECK_FALSE(validation::validate(effort, "Mirval").empty());
    CHECK_THROWS_AS(validation::validate(effort, "no such case"), InputError);
    CHECK_THROWS_WITH(validation::validate(effort, "C1.1"), ContainsSubstring("--full"));
}

TEST_CASE("Ids are unique") {
    std::vector<std::string> ids;
    for (const auto& one : validation::all_cases()) ids.push_back(one.id);
    std::sort(ids.begin(), ids.end());
    CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}
