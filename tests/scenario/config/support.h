// SPDX-License-Identifier: MIT
// A folder with the input files that configurations name, and short ways to read and to fail.
#pragma once

#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "tests/support/catch2.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace helioray::test {

/// A fresh folder with plant.h5 (empty) and sun.csv, removed at the end.
class ConfigFolder {
  public:
    ConfigFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "helioray_XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
        write("plant.h5", "");
        write("sun.csv", "0, 1\n4.65, 0.5\n");
    }
    ~ConfigFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    ConfigFolder(const ConfigFolder&) = delete;
    ConfigFolder& operator=(const ConfigFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

/// The smallest configuration; six lines, further sections may be appended from line 7 on.
inline const std::string kSmallest =
    "scenario: plant.h5\n"
    "sun:\n"
    "  azimuth_deg: 180\n"
    "  elevation_deg: 45\n"
    "aim:\n"
    "  target: receiver\n";

inline RunConfig parse(const std::string& text, const Overrides& overrides = {}) {
    const ConfigFolder folder;
    return parse_run_config(text, "run.yaml", folder.path(), overrides);
}

/// The problems of a text; empty when it is good.
inline std::vector<Problem> problems_of(const std::string& text, const Overrides& overrides = {}) {
    try {
        parse(text, overrides);
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

/// Checks that a text has one problem, with the given place in run.yaml and parts of its message.
/// Returns the message; empty if there are none or several.
inline std::string check_problem(const std::string& text,
                                 const std::string& where,
                                 const std::string& what,
                                 const std::string& advice) {
    INFO(text);
    const std::vector<Problem> problems = problems_of(text);
    for (const Problem& problem : problems) UNSCOPED_INFO(to_string(problem));
    CHECK(problems.size() == 1);
    if (problems.size() != 1) return "";
    CHECK(problems[0].where == "run.yaml:" + where);
    CHECK_THAT(problems[0].what, ContainsSubstring(what));
    CHECK_THAT(problems[0].why + "; " + problems[0].advice, ContainsSubstring(advice));
    return to_string(problems[0]);
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace helioray::test
