// SPDX-License-Identifier: MIT
// Keys of maps with thousands of entries are found at once, also after changes.
#include "scenario/config/yaml_tree.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

using namespace helioray;

namespace {

std::string text_of(size_t entries) {
    std::string text;
    for (size_t i = 0; i < entries; ++i) text += fmt::format("H{}: {}\n", i, i);
    return text;
}

bool same(const YamlNode& a, const YamlNode& b) {
    if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() ||
        a.entries.size() != b.entries.size())
        return false;
    for (size_t i = 0; i < a.items.size(); ++i)
        if (!same(a.items[i], b.items[i])) return false;
    for (size_t i = 0; i < a.entries.size(); ++i)
        if (a.entries[i].key != b.entries[i].key || !same(a.entries[i].value, b.entries[i].value))
            return false;
    return true;
}

}  // namespace

TEST_CASE("yaml: what is written is read back") {
    YamlNode values;
    values.kind = YamlNode::Kind::map;
    YamlNode list;
    list.kind = YamlNode::Kind::sequence;
    for (const std::string text : {"word",        "null",
                                   "NULL",        "nine",
                                   "~",           "",
                                   "a: b",        "a, b",
                                   "[x",          "{",
                                   "#c",          " in",
                                   "end ",        "-",
                                   "-5",          "-x",
                                   "--- a",       "1e-3",
                                   "+7",          ".5",
                                   "5.",          "2026-06-21T03:00:00+02:00",
                                   "x\ny",        "\xc3\xbc",
                                   "'",           "\"q\"",
                                   "back\\slash", "two words",
                                   "a/b.h5",      "*a",
                                   "&a",          "!t",
                                   "%",           "@"}) {
        YamlNode scalar = make_scalar(text, {});
        list.items.push_back(scalar);
        scalar.quoted = false;
        // Without quotes these are no value.
        if (text != "null" && text != "NULL" && text != "~" && !text.empty())
            list.items.push_back(scalar);
        values.entries.push_back({text + "key", {}, scalar});
        values.entries.back().value.quoted = true;
    }
    YamlNode inner;
    inner.kind = YamlNode::Kind::map;
    list.items.push_back(inner);
    list.items.emplace_back();
    inner.entries.push_back({std::string(2000, 'k'), {}, make_scalar("long", {})});
    inner.entries.push_back({"nothing", {}, {}});
    inner.entries.push_back({"list", {}, list});
    inner.entries.push_back({std::string(2000, 'm'), {}, inner});
    values.entries.push_back({"inner", {}, inner});
    YamlNode empty;
    empty.kind = YamlNode::Kind::sequence;
    values.entries.push_back({"none", {}, empty});
    const std::string text = emit_yaml(values);
    CAPTURE(text);
    CHECK(same(parse_yaml(text, "test"), values));
    for (const YamlNode& node : {YamlNode(), list, empty, make_scalar("5", {})})
        CHECK(same(parse_yaml(emit_yaml(node), "test"), node));
    CHECK(emit_yaml(parse_yaml("a: {b: [1, {c: d}], e: 'x'}\nf: 2", "test")) ==
          "a:\n  b: [1, {c: d}]\n  e: \"x\"\nf: 2\n");
}

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

TEST_CASE("yaml: keys of a large map are found in an index, not by comparison with all keys") {
    constexpr size_t kEntries = 50000;
    YamlNode root = parse_yaml(text_of(kEntries), "test");
    // The index remembers the keys of the time of parsing, and find() compares none of these.
    for (YamlEntry& entry : root.entries) entry.key.clear();
    size_t found = 0;
    for (size_t i = 0; i < kEntries; ++i) found += root.find(fmt::format("H{}", i)) ? 1 : 0;
    CHECK(found == kEntries);
}

TEST_CASE("yaml: an alias is expanded in a document of any size") {
    std::string text = "common: &common [1, 2, 3]\nmany:\n";
    for (size_t i = 0; i < 150000; ++i) text += fmt::format("  - [{}, 0, 0, 0, 0, 0, 0]\n", i);
    const YamlNode root = parse_yaml(text + "again: *common\n", "test");
    REQUIRE(root.find("again"));
    CHECK(root.find("again")->items.size() == 3);
}
