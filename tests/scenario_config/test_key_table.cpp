// SPDX-License-Identifier: MIT
// The table of keys: documented in full, and every example is one the reader accepts.
#include "scenario/config/key_table.h"
#include "tests/scenario_config/support.h"

#include <set>

using namespace helioray;
using namespace helioray::test;

namespace {

std::string readme() {
    std::ifstream stream(source_dir() + "/configs/README.md");
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("configs/README.md has the row of every key") {
    const std::string text = readme();
    REQUIRE_FALSE(text.empty());
    for (const KeyInfo& key : known_keys()) {
        const std::string row = "| `" + key.path + "` | " + key.meaning + " | " + key.unit + " | " +
                                key.range + " | " + key.default_value + " | `" + key.example +
                                "` |\n";
        INFO(row);
        CHECK(contains(text, row));
    }
}

TEST_CASE("configs/README.md has no row of a key that is gone") {
    std::set<std::string> paths;
    for (const KeyInfo& key : known_keys()) paths.insert(key.path);
    CHECK(paths.size() == known_keys().size());
    std::istringstream lines(readme());
    size_t num_rows = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `")) continue;
        const std::string path = line.substr(3, line.find('`', 3) - 3);
        INFO(path);
        CHECK(paths.count(path) == 1);
        ++num_rows;
    }
    CHECK(num_rows == known_keys().size());
}

TEST_CASE("the example of every key is a good value") {
    const ConfigFolder folder;
    folder.write("csr5.csv", "0, 1\n5, 1\n");
    for (const KeyInfo& key : known_keys()) {
        std::string path = key.path;
        if (const size_t name = path.find("<name>"); name != std::string::npos) {
            path.replace(name, 6, "AA39");
        }
        Overrides overrides;
        if (const size_t list = path.find("[]."); list != std::string::npos) {
            const std::string entry = "{" + path.substr(list + 3) + ": " + key.example + "}";
            overrides.set = {path.substr(0, list) + "=[" + entry + "]"};
        } else if (path != "scenario" && path != "sun.shape.file" && path != "sun.file") {
            overrides.set = {path + "=" + key.example};
        }
        std::vector<Problem> problems;
        try {
            parse_run_config(kSmallest, "run.yaml", folder.path(), overrides);
        } catch (const InputError& error) {
            problems = error.problems();
        }
        // A value alone may lack its companions; it must be known, of the right kind and in range.
        for (const Problem& problem : problems) {
            INFO(to_string(problem));
            CHECK_FALSE(contains(problem.what, "unknown key"));
            CHECK_FALSE(contains(problem.what, "expected"));
            CHECK_FALSE(contains(problem.what, "outside"));
            CHECK_FALSE(contains(problem.what, "not a"));
            CHECK_FALSE(contains(problem.what, "is not one of"));
        }
    }
}

TEST_CASE("valid keys of a place follow from the table") {
    CHECK(valid_keys("aim.heliostats") == std::vector<std::string>{"<name>"});
    CHECK(valid_keys("aim.heliostats.<name>") ==
          std::vector<std::string>{"target", "point", "motor_positions"});
    CHECK(valid_keys("output") == std::vector<std::string>{"file", "image", "per_heliostat"});
    CHECK(valid_keys("targets.<name>") == std::vector<std::string>{"aperture", "outline_m"});
    CHECK(valid_keys("obstacles").empty());
    CHECK(valid_keys("obstacles[]").front() == "name");
    CHECK(valid_keys("device").empty());
}
