// SPDX-License-Identifier: MIT
// Texts that are no configuration at all.
#include "scenario/config/yaml_tree.h"
#include "tests/scenario/config/support.h"

#include <fmt/format.h>

using namespace helioray;
using namespace helioray::test;

namespace {

void check_refused(const std::string& text, const std::string& place, const std::string& what) {
    const std::vector<Problem> problems = problems_of(text);
    INFO(text);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == place);
    CHECK_THAT(problems[0].what, ContainsSubstring(what));
}

}  // namespace

TEST_CASE("what is not YAML is refused with line and column") {
    check_refused("a: [1, 2\nb: 3\n", "run.yaml:2:2", "a bracket '[' is not closed");
    check_refused("sun:\n\tdni_w_m2: 1\n", "run.yaml:2:10", "not valid YAML: ");
    check_refused("sun: a: b\n", "run.yaml:1:7", "not valid YAML: ");
    check_refused("sun: *nobody\n", "run.yaml:1:6", "not valid YAML: ");
    check_refused("sun: \"open\nend\n", "run.yaml:2:4", "a quote is not closed");
}

TEST_CASE("what is not text is refused") {
    check_refused(std::string("sun: 1\0\n", 8), "run.yaml", "is not a text file");
}

TEST_CASE("a text without keys is refused") {
    check_refused("", "run.yaml", "is empty");
    check_refused("# nothing yet\n", "run.yaml", "is empty");
    check_refused("~\n", "run.yaml", "is empty");
    check_refused("\n- scenario\n", "run.yaml:2:1", "is not a map of keys");
    check_refused("plant.h5\n", "run.yaml:1:1", "is not a map of keys");
}

TEST_CASE("structures that a configuration cannot have are refused") {
    check_refused("a: 1\n---\nb: 2\n", "run.yaml:3:1", "a second document begins");
    check_refused("? [a, b]\n: 1\n", "run.yaml:1:3", "a list or map cannot be a key");
    check_refused("a: &x [*x]\n", "run.yaml:1:8", "an alias stands inside the value that it names");
}

TEST_CASE("aliases cannot be used to fill the memory") {
    std::string text = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (char name = 'b'; name < 'j'; ++name) {
        text += fmt::format("{0}: &{0} [*{1}", name, static_cast<char>(name - 1));
        for (int i = 1; i < 10; ++i) text += fmt::format(", *{}", static_cast<char>(name - 1));
        text += "]\n";
    }
    const auto problems = problems_of(text);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].what, ContainsSubstring("more than four million values"));
}

TEST_CASE("aliases give each of half a million heliostats its aim point") {
    std::string text = "aim: &a {target: receiver, point: [0, 0, 55]}\nheliostats:\n";
    for (int i = 0; i < 500'000; ++i) text += fmt::format("  H{}: *a\n", i);
    const YamlNode root = parse_yaml(text, "run.yaml");
    CHECK(root.entries.back().value.entries.size() == 500'000);
}

TEST_CASE("deep nesting is refused, not crashed on") {
    const auto problems = problems_of("sun: " + std::string(100000, '['));
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].what, ContainsSubstring("nested too deeply"));
}

TEST_CASE("files that cannot be read are named") {
    const ConfigFolder folder;
    const auto message = [](const std::filesystem::path& file) -> std::string {
        try {
            read_run_config(file);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(message(folder.path() / "no.yaml"),
               ContainsSubstring("no.yaml: there is no such file"));
    CHECK_THAT(message(folder.path()), ContainsSubstring("is a folder"));
}
