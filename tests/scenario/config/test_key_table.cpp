// SPDX-License-Identifier: MIT
// The table of keys: documented in full, and every example is one the reader accepts.
#include "scenario/config/key_table.h"
#include "scenario/types/choices.h"
#include "tests/scenario/config/support.h"

#include <fmt/format.h>

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

TEST_CASE("configs/README.md names the surfaces of every type of receiver") {
    const std::string text = readme();
    for (const std::string& type : list_words(kReceiverShapes)) {
        INFO(type);
        CHECK(contains(text, "\n* `" + type + "`: "));
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

TEST_CASE("limits of numbers are stated as users read them") {
    CHECK(Range{0.0, 1.0}.text() == "0 to 1");
    CHECK(Range{0.0, 1e6, true}.text() == "above 0 to 1e6");
    CHECK(Range{0.0, 1.0, true, true}.sentence() == "above 0 and below 1");
    CHECK(Range{1.0, 16384.0, false, true}.sentence() == "from 1 to below 16384");
    CHECK(limit_text(0.935) == "0.935");
    CHECK(limit_text(1e15) == "1e15");
}

TEST_CASE("numbers on and beyond the declared limits are told apart") {
    const ConfigFolder folder;
    const auto is_refused = [&](const KeyInfo& key, double value) {
        Overrides overrides;
        overrides.set = {fmt::format("{}={}", key.path, value)};
        try {
            parse_run_config(kSmallest, "run.yaml", folder.path(), overrides);
        } catch (const InputError& error) {
            for (const Problem& problem : error.problems())
                if (contains(problem.what, "is outside of its range")) return true;
        }
        return false;
    };
    size_t num_checked = 0;
    for (const KeyInfo& key : known_keys()) {
        // Numbers that stand alone: not in lists, and not with companions.
        const bool alone = std::set<std::string>{"optics.reflectivity",
                                                 "optics.slope_error_mrad",
                                                 "optics.tracking_error_mrad",
                                                 "sun.dni_w_m2",
                                                 "sun.azimuth_deg",
                                                 "tracing.rays_per_heliostat",
                                                 "tracing.relative_error",
                                                 "artist.batch_size",
                                                 "artist.extinction",
                                                 "bitmap.width",
                                                 "distributed.timeout_s"}
                               .contains(key.path);
        if (!alone) continue;
        ++num_checked;
        INFO(key.path << ": " << key.range);
        CHECK(is_refused(key, key.limits.low) == key.limits.open_low);
        CHECK(is_refused(key, key.limits.high) == key.limits.open_high);
        CHECK(is_refused(key, key.limits.low - 1.0));
        CHECK(is_refused(key, key.limits.high + 1.0));
    }
    CHECK(num_checked == 11);
}

TEST_CASE("valid keys of a place follow from the table") {
    CHECK(valid_keys("aim.heliostats") == std::vector<std::string>{"<name>"});
    CHECK(valid_keys("aim.heliostats.<name>") ==
          std::vector<std::string>{"target", "point", "motor_positions", "active"});
    CHECK(valid_keys("output") ==
          std::vector<std::string>{"file", "image", "per_heliostat", "checkpoint_minutes"});
    CHECK(valid_keys("targets.<name>") == std::vector<std::string>{"aperture", "outline_m"});
    CHECK(valid_keys("obstacles").empty());
    CHECK(valid_keys("obstacles[]").front() == "name");
    CHECK(valid_keys("device").empty());
}
