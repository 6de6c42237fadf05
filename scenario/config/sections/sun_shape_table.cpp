// SPDX-License-Identifier: MIT
// Reads tables of sun shapes with two columns, angle and radiance.
#include "scenario/config/section.h"
#include "scenario/files/error.h"
#include "scenario/inputs/raw_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

namespace {

/// Indices and unit of the columns of a sun shape.
struct ShapeColumns {
    size_t angle = 0;
    size_t radiance = 1;
    double mrad = 1.0;  ///< Milliradians per unit of the angles.
};

/// Finds the columns. Angles are recognised by their unit; a table of numbers alone has angles in
/// mrad and radiances. Returns nothing and adds a problem if the columns cannot be identified.
std::optional<ShapeColumns> find_shape_columns(const RawTable& table,
                                               std::vector<Problem>& problems) {
    const auto refuse = [&](const std::string& at, const std::string& what) {
        problems.push_back(
            {at,
             what,
             "the width of the sun depends on the angles",
             "begin with the header 'angle_mrad,radiance', or angle_deg, angle_rad"});
        return std::nullopt;
    };
    if (table.starts_with_numbers()) {
        const CsvRow& first = table.row(0);
        if (first.cells.size() == 2) return ShapeColumns{};
        return refuse(fmt::format("{}:{}", table.file(), first.line),
                      fmt::format("expected 2 columns, found {}", first.cells.size()));
    }
    if (table.headers().empty()) return ShapeColumns{};
    const std::string at = fmt::format("{}:{}", table.file(), table.header_line());
    if (table.headers().size() != 2)
        return refuse(at, fmt::format("expected 2 columns, found {}", table.headers().size()));
    const TableHeader& first = table.headers()[0];
    const TableHeader& second = table.headers()[1];
    if (std::string("+-.0123456789").find(first.text.front()) != std::string::npos) {
        problems.push_back(
            {at,
             fmt::format("'{}, {}' is not two finite numbers", first.text, second.text),
             "",
             "write 'angle in mrad, relative radiance'"});
        return ShapeColumns{};
    }
    const auto to_mrad = [](const TableHeader& header) {
        return find_conversion(header.unit.value_or(""), "mrad");
    };
    if (to_mrad(first) && !to_mrad(second))
        return ShapeColumns{first.cell, second.cell, to_mrad(first)->factor};
    if (to_mrad(second) && !to_mrad(first))
        return ShapeColumns{second.cell, first.cell, to_mrad(second)->factor};
    return refuse(
        at,
        fmt::format(
            "the header '{}', '{}' does not name one angle and its unit", first.text, second.text));
}

/// Receives a problem of a point: what is wrong, and why it matters.
using Fail = std::function<void(const std::string& what, const std::string& why)>;

/// Collects the points of a sun shape and checks each of them.
class SunPoints {
  public:
    /// Adds a point. `angle_text` is the angle in messages.
    void add(double angle_mrad, double radiance, const std::string& angle_text, const Fail& fail) {
        const double widest_mrad = 1e3 * kSunWidths.high;
        if (angles_mrad_.empty() && angle_mrad != 0.0) {
            fail(fmt::format("the first angle is {}, not 0", angle_text),
                 "the radiance must be known from the centre of the sun on");
        }
        if (!angles_mrad_.empty() && angle_mrad <= angles_mrad_.back()) {
            fail(fmt::format("angle {} does not exceed the one before", angle_text),
                 "angles must ascend");
        }
        if (angle_mrad > widest_mrad) {
            fail(fmt::format("angle {} is above {} mrad", angle_text, widest_mrad),
                 fmt::format("the unit is mrad, and {}", kSunWidths.why));
        }
        if (radiance < 0.0) fail(fmt::format("radiance {} is negative", radiance), "");
        angles_mrad_.push_back(angle_mrad);
        radiances_.push_back(radiance);
    }

    /// Checks the points as a whole.
    void check(const Fail& fail) const {
        const auto is_zero = [](double radiance) { return radiance == 0.0; };
        if (angles_mrad_.size() < 2) {
            fail(fmt::format("has {} rows of numbers", angles_mrad_.size()),
                 "a shape needs at least 2");
        } else if (std::all_of(radiances_.begin(), radiances_.end(), is_zero)) {
            fail("has only radiances of 0", "such a sun is dark");
        }
    }

    TableShape shape() && {
        for (double& angle : angles_mrad_) angle *= 1e-3;
        return {std::move(angles_mrad_), std::move(radiances_)};
    }

  private:
    std::vector<double> angles_mrad_, radiances_;
};

}  // namespace

std::optional<TableShape> read_sun_points(const Section& shape) {
    const auto pairs = shape.pairs("radiance");
    if (!pairs) return std::nullopt;
    const size_t before = shape.problems().size();
    const std::string advice = "write for example radiance: [[0, 1], [4.65, 0.9]]";
    SunPoints points;
    for (size_t i = 0; i < pairs->size(); ++i) {
        const auto [angle, radiance] = (*pairs)[i];
        points.add(
            angle, radiance, fmt::format("{}", angle), [&](const auto& what, const auto& why) {
                shape.fail_item("radiance", i, what, why, advice);
            });
    }
    if (shape.problems().size() == before) {
        points.check(
            [&](const auto& what, const auto& why) { shape.fail("radiance", what, why, advice); });
    }
    if (shape.problems().size() != before) return std::nullopt;
    return std::move(points).shape();
}

TableShape read_sun_table(const std::filesystem::path& file) {
    const std::string advice = "write 'angle in mrad, relative radiance'";
    std::vector<Problem> problems;
    const RawTable table(read_csv(file), problems);
    const auto found = find_shape_columns(table, problems);
    const ShapeColumns columns = found.value_or(ShapeColumns{});
    const size_t num_rows = found ? table.num_rows() : 0;
    SunPoints points;
    for (size_t i = 0; i < num_rows; ++i) {
        const std::string& angle_cell = table.text(i, columns.angle);
        const std::string& radiance_cell = table.text(i, columns.radiance);
        const Fail fail = [&](const std::string& what, const std::string& why) {
            const std::string at = fmt::format("{}:{}", table.file(), table.row(i).line);
            problems.push_back({at, what, why, advice});
        };
        const auto angle = table.number(angle_cell);
        const auto radiance = table.number(radiance_cell);
        if (angle && radiance && std::isfinite(*angle) && std::isfinite(*radiance))
            points.add(*angle * columns.mrad, *radiance, angle_cell, fail);
        else
            fail(fmt::format("'{}, {}' is not two finite numbers", angle_cell, radiance_cell), "");
    }
    if (problems.empty()) {
        points.check([&](const std::string& what, const std::string& why) {
            problems.push_back(
                {file.string(), what, why, "add rows 'angle in mrad, relative radiance'"});
        });
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    return std::move(points).shape();
}

}  // namespace helioray
