// SPDX-License-Identifier: MIT
// Stores the levels of a sun position as arrays.
#include "raytracer/studies/annual/aim_year_file.h"

#include "raytracer/results/result_layout.h"
#include "scenario/files/columns.h"

#include <string>
#include <vector>

namespace helioray {

namespace {

/// Returns the columns of the levels of a field.
Columns<AimedLevel> level_columns(size_t num_heliostats) {
    using Row = AimedLevel;
    const hdf5::Shape each{num_heliostats};
    Columns<Row> columns{
        column({"dni_w_m2", "W/m2", "Irradiance of each level."}, &Row::dni),
        column({"center_power", "W", "Power with strategy center."}, &Row::center_power),
        column({"defocus_loss", "W", "Power of heliostats turned off.", each}, &Row::defocus_loss),
        column({"target_power_std_error", "W", "Standard errors of target_power.", each},
               &Row::target_power_std_error)};
    for (const EnergyTermInfo& term : energy_term_infos()) {
        columns.push_back(converted_column<Row>(
            {.name = term.name,
             .unit = "W",
             .description = term.description,
             .shape = each,
             .is_optional = term.is_of_receivers},
            [&term](const Row& row) {
                std::vector<double> values;
                for (const EnergyTerms& energy : row.energy) values.push_back(energy.*term.member);
                return values;
            },
            [&term](Row& row, const std::vector<double>& values) {
                row.energy.resize(values.size());
                for (size_t i = 0; i < values.size(); ++i) row.energy[i].*term.member = values[i];
            }));
    }
    columns.push_back(column({"fingerprint", "", "Of the verifying traces."}, &Row::fingerprint));
    columns.push_back(column({"rays", "1", "Of the verifying traces."}, &Row::rays));
    return columns;
}

}  // namespace

void write_position(const AimedPosition& position,
                    const RunResult& center,
                    const SeriesStep& facts,
                    const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) {
        fill_series_part(root, center, facts);
        hdf5::Group levels = root.create_group("levels");
        levels.write_attribute("is_limited", position.is_limited ? 1 : 0);
        levels.write_attribute("violation", position.violation);
        if (position.worst_limit_share) {
            levels.write_attribute("worst_limit_share", *position.worst_limit_share);
            levels.write_attribute("worst_limit_share_std_error",
                                   position.worst_limit_share_std_error);
        }
        write_columns(
            levels, position.levels, level_columns(position.levels.front().energy.size()));
    });
}

AimedPosition read_position(const std::filesystem::path& path, size_t num_heliostats) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group group = file.root().group("levels");
    AimedPosition position;
    position.is_limited = group.read_attribute_integer("is_limited") != 0;
    position.violation = group.read_attribute_string("violation");
    if (group.has_attribute("worst_limit_share")) {
        position.worst_limit_share = group.read_attribute_number("worst_limit_share");
        position.worst_limit_share_std_error =
            group.read_attribute_number("worst_limit_share_std_error");
    }
    position.levels.resize(group.dataset("dni_w_m2").size());
    read_columns(group, position.levels, level_columns(num_heliostats));
    return position;
}

}  // namespace helioray
