// SPDX-License-Identifier: MIT
// Suggestions for misspelt names.
#include "scenario/files/error.h"
#include "tests/support/catch2.h"

using namespace helioray;

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
