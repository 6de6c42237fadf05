// SPDX-License-Identifier: MIT
// Stores the levels of a sun position as arrays.
#include "raytracer/solvers/aiming/aim_year_file.h"

#include "raytracer/results/result_layout.h"

#include <algorithm>
#include <functional>

namespace helioray::aiming {

namespace {

using Numbers = std::vector<double>;

Numbers column(const std::vector<AimedLevel>& levels,
               const std::function<Numbers(const AimedLevel&)>& of) {
    Numbers all;
    for (const AimedLevel& level : levels) {
        const Numbers own = of(level);
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

void write_levels(hdf5::Group group, const std::vector<AimedLevel>& levels) {
    const size_t count = levels.size();
    const size_t heliostats = levels.front().energy.size();
    const auto write_one = [&](const char* name,
                               const char* unit,
                               const char* description,
                               double AimedLevel::*member) {
        annotate(
            group.write_array<double>(
                name, column(levels, [&](const auto& l) { return Numbers{l.*member}; }), {count}),
            unit,
            description);
    };
    write_one("dni_w_m2", "W/m2", "Irradiance of each level.", &AimedLevel::dni);
    write_one("center_power", "W", "Power with strategy center.", &AimedLevel::center_power);
    const auto write_each = [&](const char* name,
                                const char* description,
                                Numbers AimedLevel::*member) {
        annotate(group.write_array<double>(name,
                                           column(levels, [&](const auto& l) { return l.*member; }),
                                           {count, heliostats}),
                 "W",
                 description);
    };
    write_each("defocus_loss", "Power of heliostats turned off.", &AimedLevel::defocus_loss);
    write_each("target_power_std_error",
               "Standard errors of target_power.",
               &AimedLevel::target_power_std_error);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        const Numbers values = column(levels, [&](const AimedLevel& level) {
            Numbers own;
            for (const EnergyTerms& energy : level.energy) own.push_back(energy.*term.member);
            return own;
        });
        annotate(group.write_array<double>(term.name, values, {count, heliostats}),
                 "W",
                 term.description);
    }
    std::vector<std::string> fingerprints;
    std::vector<int64_t> rays;
    for (const AimedLevel& level : levels) {
        fingerprints.push_back(level.fingerprint);
        rays.push_back(level.rays);
    }
    annotate(group.write_strings("fingerprint", fingerprints), "", "Of the verifying traces.");
    annotate(group.write_array<int64_t>("rays", rays, {count}), "1", "Of the verifying traces.");
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
        write_levels(std::move(levels), position.levels);
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
    const size_t count = hdf5::num_elements(group.dataset("dni_w_m2").shape());
    const Numbers dni = read_shaped(group, "dni_w_m2", {count});
    const Numbers center = read_shaped(group, "center_power", {count});
    const Numbers rays = read_shaped(group, "rays", {count});
    const std::vector<std::string> fingerprints = read_texts(group, "fingerprint", count);
    const hdf5::Shape shape{count, num_heliostats};
    const Numbers defocused = read_shaped(group, "defocus_loss", shape);
    const Numbers errors = read_shaped(group, "target_power_std_error", shape);
    const auto part = [&](const Numbers& all, size_t level) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(level * num_heliostats);
        return Numbers(begin, begin + static_cast<std::ptrdiff_t>(num_heliostats));
    };
    for (size_t level = 0; level < count; ++level)
        position.levels.push_back({dni[level],
                                   center[level],
                                   std::vector<EnergyTerms>(num_heliostats),
                                   part(defocused, level),
                                   part(errors, level),
                                   static_cast<int64_t>(rays[level]),
                                   fingerprints[level]});
    for (const EnergyTermInfo& term : energy_term_infos()) {
        const Numbers values = read_shaped(group, term.name, shape);
        for (size_t level = 0; level < count; ++level)
            for (size_t i = 0; i < num_heliostats; ++i)
                position.levels[level].energy[i].*term.member = values[level * num_heliostats + i];
    }
    return position;
}

}  // namespace helioray::aiming
