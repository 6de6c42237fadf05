// SPDX-License-Identifier: MIT
// The heliostats' part of result files.
#include "raytracer/output/result_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

// The maps of single heliostats, one at a time, in chunks of at most 1 MiB.
void write_heliostat_flux(hdf5::Group& group, const RunResult& result) {
    const auto& heliostats = result.heliostats;
    const bool any = std::any_of(
        heliostats.begin(), heliostats.end(), [](const auto& h) { return !h.flux.empty(); });
    if (!any) return;
    require(!result.targets.empty(), "flux maps of heliostats without a target");
    const size_t height = static_cast<size_t>(result.targets[0].height);
    const size_t width = static_cast<size_t>(result.targets[0].width);

    constexpr size_t kChunk = 512;
    hdf5::Dataset dataset =
        group.create_dataset<float>("flux",
                                    {heliostats.size(), height, width},
                                    {{1, std::min(height, kChunk), std::min(width, kChunk)}, 4});
    annotate(dataset,
             result.targets[0].unit,
             "Flux of each heliostat alone on its target, [heliostat, height, width], laid out as "
             "the targets' flux.");
    for (size_t i = 0; i < heliostats.size(); ++i) {
        // A heliostat without a map has no flux; the dataset is 0 there already.
        if (heliostats[i].flux.empty()) continue;
        require(heliostats[i].flux.size() == height * width,
                fmt::format("heliostat '{}': its flux map does not fit {} x {} pixels",
                            heliostats[i].name,
                            height,
                            width));
        dataset.write_rows<float>(i, heliostats[i].flux);
    }
}

// One value or row of `width` values per heliostat.
template <typename T, typename Append>
void write_column(hdf5::Group& group,
                  const std::string& name,
                  const RunResult& result,
                  const hdf5::Shape& row,
                  const std::string& unit,
                  const std::string& description,
                  Append append) {
    std::vector<T> values;
    for (const HeliostatResult& heliostat : result.heliostats) append(values, heliostat);
    hdf5::Shape shape{result.heliostats.size()};
    shape.insert(shape.end(), row.begin(), row.end());
    annotate(group.write_array<T>(name, values, shape), unit, description);
}

void write_names(hdf5::Group& group, const RunResult& result) {
    std::vector<std::string> names;
    std::vector<std::string> targets;
    for (const HeliostatResult& heliostat : result.heliostats) {
        names.push_back(heliostat.name);
        targets.push_back(heliostat.target);
    }
    annotate(group.write_strings("name", names), "", "Name of each heliostat.");
    annotate(group.write_strings("target", targets), "", "Name of each heliostat's target.");
}

template <size_t N>
auto append_array(std::array<double, N> HeliostatResult::*member) {
    return [member](std::vector<double>& out, const HeliostatResult& h) {
        out.insert(out.end(), (h.*member).begin(), (h.*member).end());
    };
}

// Left out when it is unknown for any heliostat.
void write_outlines(hdf5::Group& group, const RunResult& result) {
    const auto& heliostats = result.heliostats;
    const bool known = std::all_of(heliostats.begin(), heliostats.end(), [](const auto& h) {
        return h.mirror_outline.has_value();
    });
    if (!known || heliostats.empty()) return;
    write_column<double>(group,
                         "mirror_outline",
                         result,
                         {4, 3},
                         "m",
                         "Corners of the mirror in its own frame (normal up), anticlockwise seen "
                         "from above; orientation places them in the field.",
                         [](std::vector<double>& out, const HeliostatResult& h) {
                             for (const Vec3& corner : *h.mirror_outline) {
                                 out.insert(out.end(), corner.begin(), corner.end());
                             }
                         });
}

}  // namespace

void write_standing(hdf5::Group& group, const RunResult& result) {
    write_column<double>(group,
                         "orientation",
                         result,
                         {4, 4},
                         "1; column 3: m",
                         "Homogeneous matrix from the mirror frame (facets in the east-north "
                         "plane, normal up) to east-north-up; column 2 is the mirror normal, "
                         "column 3 the mirror origin.",
                         append_array(&HeliostatResult::orientation));
    write_column<double>(group,
                         "aim_point",
                         result,
                         {3},
                         "m",
                         "Point each heliostat aims at, east-north-up.",
                         append_array(&HeliostatResult::aim_point));
    write_outlines(group, result);
}

void write_heliostats(hdf5::Group& group, const RunResult& result) {
    write_names(group, result);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        write_column<double>(group,
                             term.name,
                             result,
                             {},
                             "W",
                             term.description,
                             [&](std::vector<double>& out, const HeliostatResult& h) {
                                 out.push_back(h.energy.*term.member);
                             });
    }
    write_column<double>(group,
                         "target_power_std_error",
                         result,
                         {},
                         "W",
                         "Standard error of target_power from the finite number of rays.",
                         [](std::vector<double>& out, const HeliostatResult& h) {
                             out.push_back(h.target_power_std_error);
                         });
    if (result.error_uncertainty > 0.0) {
        group.dataset("target_power_std_error")
            .write_attribute("relative_uncertainty", result.error_uncertainty);
    }
    write_standing(group, result);
    write_column<double>(group,
                         "motor_positions",
                         result,
                         {2},
                         "steps or rad",
                         "Positions of the two actuators: steps of linear ones, radians of ideal "
                         "ones.",
                         append_array(&HeliostatResult::motor_positions));
    write_column<int64_t>(
        group,
        "rays",
        result,
        {},
        "1",
        "Number of rays traced for each heliostat.",
        [](std::vector<int64_t>& out, const HeliostatResult& h) { out.push_back(h.rays); });
    write_heliostat_flux(group, result);
}

}  // namespace helioray
