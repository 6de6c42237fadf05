// SPDX-License-Identifier: MIT
// CSV rows of a sun shape, checked one by one.
#include "scenario/config/sun_table.h"

#include "scenario/config/read_sections.h"
#include "scenario/config/section.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace helioray {

namespace {

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    size_t begin = 0;
    for (size_t comma; (comma = line.find(',', begin)) != std::string::npos; begin = comma + 1) {
        cells.push_back(trimmed(line.substr(begin, comma - begin)));
    }
    cells.push_back(trimmed(line.substr(begin)));
    return cells;
}

}  // namespace

TableShape read_sun_table(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream)
        throw InputError(
            Problem{file.string(), "cannot be read", "", "check path and permissions"});
    std::vector<Problem> problems;
    std::vector<double> angles_mrad, radiances;
    int line_number = 0;
    bool header_allowed = true;
    for (std::string line; std::getline(stream, line);) {
        ++line_number;
        if (line_number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        const auto fail = [&](const std::string& what, const std::string& why) {
            problems.push_back({fmt::format("{}:{}", file.string(), line_number), what, why, ""});
            problems.back().advice = "write 'angle in mrad, relative radiance'";
        };

        // A row of two numbers; the first row may be a header instead.
        const std::vector<std::string> cells = cells_of(line);
        const bool is_number = std::string("+-.0123456789").find(line.front()) != std::string::npos;
        const bool is_header = header_allowed && !is_number;
        header_allowed = false;
        if (is_header) continue;
        if (cells.size() != 2) {
            fail(fmt::format("expected 2 columns, found {}", cells.size()), "");
            continue;
        }
        const auto angle = parse_number(cells[0]);
        const auto radiance = parse_number(cells[1]);
        if (!angle || !radiance || !std::isfinite(*angle) || !std::isfinite(*radiance)) {
            fail(fmt::format("'{}' is not two finite numbers", line), "");
            continue;
        }
        if (angles_mrad.empty() && *angle != 0.0) {
            fail(fmt::format("the first angle is {}, not 0", cells[0]),
                 "the radiance must be known from the centre of the sun on");
        }
        if (!angles_mrad.empty() && *angle <= angles_mrad.back()) {
            fail(fmt::format("angle {} does not exceed the one before", cells[0]),
                 "angles must ascend");
        }
        if (*angle > kWidestAngleMrad) {
            fail(fmt::format("angle {} is above {} mrad", cells[0], kWidestAngleMrad),
                 "the unit is mrad");
        }
        if (*radiance < 0.0) fail(fmt::format("radiance {} is negative", cells[1]), "");
        angles_mrad.push_back(*angle);
        radiances.push_back(*radiance);
    }

    // The table as a whole, once its rows are good.
    if (problems.empty() && angles_mrad.size() < 2) {
        problems.push_back({file.string(),
                            fmt::format("has {} rows of numbers", angles_mrad.size()),
                            "a shape needs at least 2",
                            "add rows 'angle in mrad, relative radiance'"});
    }
    const auto is_zero = [](double radiance) { return radiance == 0.0; };
    if (problems.empty() && std::all_of(radiances.begin(), radiances.end(), is_zero)) {
        problems.push_back({file.string(), "has only radiances of 0", "such a sun is dark", ""});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    for (double& angle : angles_mrad) angle *= 1e-3;
    return {std::move(angles_mrad), std::move(radiances)};
}

}  // namespace helioray
