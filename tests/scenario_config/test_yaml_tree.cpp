// SPDX-License-Identifier: MIT
// Keys of maps with thousands of entries are found at once, also after changes.
#include "scenario/config/yaml_tree.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

#include <ctime>

using namespace helioray;

namespace {

std::string text_of(size_t entries) {
    std::string text;
    for (size_t i = 0; i < entries; ++i) text += fmt::format("H{}: {}\n", i, i);
    return text;
}

}  // namespace

TEST_CASE("yaml: the first of several entries is found, as in small maps") {
    for (const size_t size : {3, 40}) {
        YamlNode root = parse_yaml(text_of(size) + "H1: again\nlast: 7\n", "test");
        REQUIRE(root.find("H1"));
        CHECK(root.find("H1")->text == "1");
        CHECK(root.find("last")->text == "7");
        CHECK_FALSE(root.find("H40"));

        root.entries.push_back({"new", {}, make_scalar("8", {})});
        REQUIRE(root.find("new"));
        CHECK(root.find("new")->text == "8");
        const YamlNode copy = root;
        root.remove("H1");
        CHECK_FALSE(root.find("H1"));
        CHECK(root.find("H2")->text == "2");
        CHECK(root.find("new")->text == "8");
        CHECK(copy.find("H1")->text == "1");
        root.entries.push_back({"H1", {}, make_scalar("9", {})});
        CHECK(root.find("H1")->text == "9");
    }
}

TEST_CASE("yaml: finding all keys of a large map costs no more than reading it") {
    constexpr size_t kEntries = 50000;
    const YamlNode root = parse_yaml(text_of(kEntries), "test");
    const std::clock_t begin = std::clock();
    size_t found = 0;
    for (size_t i = 0; i < kEntries; ++i) found += root.find(fmt::format("H{}", i)) ? 1 : 0;
    CHECK(found == kEntries);
    // 10 ms with an index, 3 s without.
    CHECK(std::clock() - begin < CLOCKS_PER_SEC);
}

TEST_CASE("yaml: an alias is expanded in a document of any size") {
    std::string text = "common: &common [1, 2, 3]\nmany:\n";
    for (size_t i = 0; i < 150000; ++i) text += fmt::format("  - [{}, 0, 0, 0, 0, 0, 0]\n", i);
    const YamlNode root = parse_yaml(text + "again: *common\n", "test");
    REQUIRE(root.find("again"));
    CHECK(root.find("again")->items.size() == 3);
}
