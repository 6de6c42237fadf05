// SPDX-License-Identifier: MIT
// Texts of --vary, and the order of combinations.
#include "raytracer/studies/sweep/variants.h"
#include "scenario/files/error.h"
#include "tests/support/catch2.h"

#include <string>
#include <vector>

using namespace helioray;
using namespace helioray::sweep;
using Texts = std::vector<std::string>;

TEST_CASE("lists are split at commas outside of brackets and quotes") {
    CHECK(parse_variation("a.b=1,2,3").key == "a.b");
    CHECK(parse_variation("a.b=1,2,3").values == Texts{"1", "2", "3"});
    CHECK(parse_variation("a=x").values == Texts{"x"});
    CHECK(parse_variation("a=[1, 2],[3, 4]").values == Texts{"[1, 2]", "[3, 4]"});
    CHECK(parse_variation("sun.shape={type: buie, csr: 0.02},{type: pillbox}").values ==
          Texts{"{type: buie, csr: 0.02}", "{type: pillbox}"});
    CHECK(parse_variation("a=\"x,y\",'p,q'").values == Texts{"\"x,y\"", "'p,q'"});
    CHECK(parse_variation("a=b=c,d").values == Texts{"b=c", "d"});
    CHECK(parse_variation("a=1,10,-1,x1").values == Texts{"1", "10", "-1", "x1"});
}

TEST_CASE("ranges have both ends and equal steps") {
    CHECK(parse_variation("a=1:3:3").values == Texts{"1", "2", "3"});
    CHECK(parse_variation("a=0:0.3:4").values == Texts{"0", "0.1", "0.2", "0.3"});
    CHECK(parse_variation("a=75:-15:3").values == Texts{"75", "30", "-15"});
    // A time is no range.
    CHECK(parse_variation("sun.time=2026-06-21T10:00:00+00:00").values ==
          Texts{"2026-06-21T10:00:00+00:00"});
}

TEST_CASE("what cannot be read is refused by name") {
    for (const char* text : {"",
                             "a",
                             "=1",
                             "a=",
                             "a=1,,2",
                             "a=1,",
                             "a=1:2:1",
                             "a=1:2:2.5",
                             "a=1:inf:3",
                             "a=1,2,1",
                             "a=1,1.0",
                             "a=1, 1",
                             "a=x,y,x",
                             "a={b: 1},{b: 1}",
                             "a=3:3:2",
                             "a=1:2:1e9"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_variation(text), InputError);
    }
    CHECK_THROWS_AS(Variants({{"a", {"1"}}, {"a", {"2"}}}), InputError);
    // The second one would replace the first.
    CHECK_THROWS_AS(Variants({{"a.b", {"1", "2"}}, {"a", {"{b: 3}"}}}), InputError);
    CHECK(Variants({{"a", {"{b: 3}"}}, {"a.b", {"1", "2"}}}).size() == 2);
    CHECK(Variants({{"ab", {"1", "2"}}, {"a", {"3"}}}).size() == 2);
    const Texts many(1001, "1"), most(1000, "1");
    CHECK_THROWS_AS(Variants({{"a", many}, {"b", many}}), InputError);
    CHECK(Variants({{"a", most}, {"b", most}}).size() == 1'000'000);
}

TEST_CASE("every combination comes once, the last key fastest") {
    const Variants variants({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}});
    REQUIRE(variants.size() == 6);
    CHECK(variants.values(0) == Texts{"1", "x"});
    CHECK(variants.values(2) == Texts{"1", "z"});
    CHECK(variants.values(3) == Texts{"2", "x"});
    CHECK(variants.settings(5) == Texts{"a=2", "b=z"});
    CHECK(variants.text(4) == "a=2, b=y");
}
