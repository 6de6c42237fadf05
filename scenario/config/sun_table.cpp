// SPDX-License-Identifier: MIT
// CSV rows of a sun shape, checked one by one.
#include "scenario/config/sun_table.h"

#include "scenario/config/read_sections.h"
#include "scenario/config/section.h"
#include "scenario/csv.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

TableShape read_sun_table(const std::filesystem::path& file) {
    std::vector<Problem> problems;
    std::vector<double> angles_mrad, radiances;
    bool header_allowed = true;
    const CsvTable table = read_commented_csv(file);
    for (const CsvRow& row : table.rows) {
        const int line = row.line;
        const std::vector<std::string>& cells = row.cells;
        const auto fail = [&](const std::string& what, const std::string& why) {
            problems.push_back({fmt::format("{}:{}", file.string(), line), what, why, ""});
            problems.back().advice = "write 'angle in mrad, relative radiance'";
        };

        // A row of two numbers; the first row may be a header instead.
        const bool is_number =
            !cells[0].empty() &&
            std::string("+-.0123456789").find(cells[0].front()) != std::string::npos;
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
            fail(fmt::format("'{}, {}' is not two finite numbers", cells[0], cells[1]), "");
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
