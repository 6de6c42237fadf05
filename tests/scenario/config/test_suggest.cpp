// SPDX-License-Identifier: MIT
// Suggestions for misspelt names, and messages with many problems.
#include "scenario/files/error.h"
#include "tests/support/catch2.h"

#include <algorithm>

using namespace helioray;

TEST_CASE("Problems of one kind are counted after the first five") {
    std::vector<Problem> problems;
    for (int row = 2; row < 1002; ++row) {
        const std::string line = "field.csv:" + std::to_string(row);
        problems.push_back(
            {line, "'" + std::to_string(row) + ",5' is not a number", "", "use a dot"});
        if (row == 700) problems.push_back({line, "the row is empty", "", ""});
    }
    const std::string text = InputError(problems).what();
    CHECK(std::count(text.begin(), text.end(), '\n') == 6);
    CHECK(text.find("field.csv:6: '6,5' is not a number; use a dot\n"
                    "... and 995 more problems like this\n") != std::string::npos);
    CHECK(text.find("field.csv:700: the row is empty") != std::string::npos);
    CHECK(InputError(problems).problems().size() == 1001);

    std::vector<Problem> others;
    for (char c = 'a'; c <= 'z'; ++c)
        for (const char d : {'x', 'y', 'z'})
            others.push_back({std::string(1, c), std::string(1, d) + " is missing", "", ""});
    const std::string all = InputError(others).what();
    CHECK(std::count(all.begin(), all.end(), '\n') == 50);
    CHECK(all.ends_with("... and 28 other problems"));
}

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "abc") == 0);
    CHECK(edit_distance("abc", "axc") == 1);
    CHECK(edit_distance("abc", "ac") == 1);
    CHECK(edit_distance("abc", "abxc") == 1);
    CHECK(edit_distance("abc", "acb") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest name is suggested") {
    const std::vector<std::string> names{
        "receiver", "multi_focus_tower", "solar_tower", "azimuth_deg"};
    CHECK(closest("reciever", names) == "receiver");
    CHECK(closest("Receiver", names) == "receiver");
    CHECK(closest("Multi-Focus-Tower", names) == "multi_focus_tower");
    CHECK(closest("azimuth", names) == "azimuth_deg");
    CHECK_FALSE(closest("xyz", names));
    CHECK_FALSE(closest("", names));
    CHECK_FALSE(closest("a", {"b"}));
    CHECK(closest("AA93", {"AA31", "AA39"}) == "AA39");
}

TEST_CASE("where nothing is near the valid names are listed") {
    CHECK(suggest("sed", {"seed", "model"}) == "did you mean 'seed'?");
    CHECK(suggest("colour", {"seed", "model"}) == "valid: 'seed', 'model'");
    CHECK(suggest("colour", {}).empty());
    const std::vector<std::string> many(9, "n");
    CHECK_THAT(suggest("colour", many), ContainsSubstring("'n', ... (9 in all)"));
}
