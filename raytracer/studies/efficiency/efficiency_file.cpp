// SPDX-License-Identifier: MIT
// Writes and reads efficiency tables.
#include "raytracer/studies/efficiency/efficiency_file.h"

#include "raytracer/results/geometry_json.h"
#include "raytracer/results/result_layout.h"
#include "scenario/files/columns.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/files/visit_members.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace helioray {

namespace {

constexpr const char* kFormat = "helioray-efficiency";
/// Losses, flags and facts about the place are only in files.
const std::optional<std::string> kNotInJson = "";
constexpr const char* kInterpolationError =
    "By how much linear interpolation of the efficiency errs about an entry, and how far the entry "
    "may be off where it was interpolated itself.";

// A new member does not compile before it is named here: declare its column below.
[[maybe_unused]] void name_members(const EfficiencyTable& table) {
    [[maybe_unused]] const auto& [provenance,
                                  grid,
                                  suns,
                                  positions,
                                  checks,
                                  latitude,
                                  heliostats,
                                  mirror_area,
                                  land_area,
                                  mean_mirror_height,
                                  shares,
                                  parked_loss,
                                  std_error,
                                  interpolation_error,
                                  reached,
                                  targets] = table;
}
static_assert(count_members<EfficiencyTarget>() == 8,
              "declare the column of a new number below, then count its member here");

/// Returns the column of a term: its losses, or "efficiency" instead of the power on the targets.
Column<EfficiencyTable> share_column(const EnergyTermInfo& term) {
    const bool is_efficiency = term.member == &EnergyTerms::target_power;
    return converted_column<EfficiencyTable>(
        {.name = is_efficiency ? "efficiency" : term.name,
         .unit = "1",
         .description =
             std::string("As a share of irradiance times mirror area: ") + term.description,
         .json = is_efficiency ? std::nullopt : kNotInJson,
         .is_optional = term.is_of_receivers},
        [&term](const EfficiencyTable& table) {
            std::vector<double> values;
            if (!is_shown(term, summed_shares(table))) return values;
            for (const EnergyTerms& shares : table.shares) values.push_back(shares.*term.member);
            return values;
        },
        [&term](EfficiencyTable& table, const std::vector<double>& values) {
            for (std::size_t i = 0; i < values.size(); ++i)
                table.shares[i].*term.member = values[i];
        });
}

/// Two axes of the sky and the order of a table's numbers on them.
struct SkyOfTable {
    std::string first, second;                    ///< names of the axes
    bool by_elevation = false;                    ///< true: elevation is the first axis
    double (*convert)(double radians) = nullptr;  ///< converts radians to the unit of the axes
    std::string unit_name;
};

/// Writes a group with the axes of the sky, and arrays over them.
class SkyWriter {
  public:
    SkyWriter(hdf5::Group group, const SunRectangle& suns, SkyOfTable sky)
        : group_(std::move(group)), suns_(suns), sky_(std::move(sky)) {
        std::vector<double> azimuths, elevations;
        for (const double angle : suns.azimuths()) azimuths.push_back(sky_.convert(angle));
        for (const double angle : suns.elevations()) elevations.push_back(sky_.convert(angle));
        const auto& [first, other] =
            sky_.by_elevation ? std::tie(elevations, azimuths) : std::tie(azimuths, elevations);
        const std::string azimuth = "Azimuth of the sun, clockwise from north.";
        const std::string elevation = "Elevation of the sun above the horizon.";
        add_axis(sky_.first, first, sky_.by_elevation ? elevation : azimuth);
        add_axis(sky_.second, other, sky_.by_elevation ? azimuth : elevation);
    }

    /// Adds an array. values: [P] or [P, ...] in the order of the rectangle; more: names of further
    /// axes.
    void add(hdf5::Group group,
             const std::string& name,
             const std::vector<double>& values,
             const std::vector<std::string>& more,
             const std::string& description) {
        hdf5::Shape shape{axes_[0].size(), axes_[1].size()};
        for (const std::string& axis : more) shape.push_back(group.dataset(axis).size());
        const std::size_t inner = values.size() / suns_.size();
        std::vector<double> ordered;
        ordered.reserve(values.size());
        for (std::size_t i = 0; i < shape[0]; ++i) {
            for (std::size_t k = 0; k < shape[1]; ++k) {
                const std::size_t entry = sky_.by_elevation ? k * shape[0] + i : i * shape[1] + k;
                const auto from = values.begin() + static_cast<std::ptrdiff_t>(entry * inner);
                ordered.insert(ordered.end(), from, from + static_cast<std::ptrdiff_t>(inner));
            }
        }
        hdf5::Storage storage;
        if (!more.empty()) {
            storage = {shape, 4};
            storage.chunk[0] = 1;
        }
        hdf5::Dataset dataset = group.write_array<double>(name, ordered, shape, storage);
        annotate(dataset, "1", description);
        dataset.write_attribute("units", "1");
        dataset.attach_scale(0, axes_[0]);
        dataset.attach_scale(1, axes_[1]);
        for (std::size_t i = 0; i < more.size(); ++i)
            dataset.attach_scale(2 + i, group.dataset(more[i]));
    }
    void add(const std::string& name,
             const std::vector<double>& values,
             const std::string& description) {
        add(group_, name, values, {}, description);
    }

  private:
    void add_axis(const std::string& name,
                  const std::vector<double>& values,
                  const std::string& description) {
        hdf5::Dataset axis = group_.write_array<double>(name, values, {values.size()});
        annotate(axis, sky_.unit_name, description);
        axis.write_attribute("units", sky_.unit_name);
        axis.become_scale(name);
        axes_.push_back(std::move(axis));
    }

    hdf5::Group group_;
    const SunRectangle& suns_;
    SkyOfTable sky_;
    std::vector<hdf5::Dataset> axes_;
};

/// Writes efficiency, errors and losses.
void add_field(SkyWriter& sky, const EfficiencyTable& table) {
    for (const Column<EfficiencyTable>& column : efficiency_columns()) {
        const auto values = std::get<std::vector<double>>(row_values(table, column));
        if (column.is_optional && values.empty()) continue;
        sky.add(column.name, values, column.description);
    }
}

/// Writes the pixel centres along an extent as in result files; rows are ordered downwards.
void write_axis(hdf5::Group& group, const std::string& name, std::int64_t count, double extent) {
    std::vector<double> centres;
    for (std::int64_t i = 0; i < count; ++i) centres.push_back(pixel_centre(i, count, extent));
    hdf5::Dataset axis = group.write_array<double>(name, centres, {centres.size()});
    annotate(axis, "m", "Pixel centres from the target's centre.");
    axis.write_attribute("units", "m");
    axis.become_scale(name);
}

void add_target(SkyWriter& sky,
                hdf5::Group group,
                const EfficiencyTarget& target,
                const std::string& suffix) {
    const auto [width, height] = surface_extent(target.target);
    write_axis(group, "width_m" + suffix, target.width, width);
    // Row 0 is the top.
    write_axis(group, "height_m" + suffix, target.height, -height);
    for (const Column<EfficiencyTarget>& column : efficiency_target_columns()) {
        std::vector<std::string> axes = column.axes;
        for (std::string& axis : axes) axis += suffix;
        sky.add(group,
                column.name + suffix,
                std::get<std::vector<double>>(row_values(target, column)),
                axes,
                column.description);
    }
}

void fill(hdf5::Group root, const EfficiencyTable& table) {
    root.write_attribute("format", kFormat);
    root.write_attribute("format_version", 1);
    write_origin(root, table.provenance);
    write_attributes(root, table, efficiency_facts());
    SkyWriter sky(
        root, table.suns, {"azimuth_deg", "elevation_deg", false, decimal_degrees, "degree"});
    add_field(sky, table);
    for (const EfficiencyTarget& target : table.targets) {
        hdf5::Group group = root.create_group("targets/" + target.target.name);
        group.write_attribute("kind", target_kind(target.target));
        group.write_attribute("geometry", geometry_to_json(target.target));
        add_target(sky, group, target, "");
    }
}

std::vector<double> radians(const hdf5::Group& group, const std::string& name) {
    std::vector<double> angles = group.read_numbers(name);
    for (double& angle : angles) angle *= kRadiansPerDegree;
    return angles;
}

EfficiencyTarget read_target(const hdf5::Group& group,
                             const std::string& name,
                             const hdf5::Shape& sky) {
    EfficiencyTarget target;
    target.target = {name,
                     geometry_from_json(group.read_attribute_string("kind"),
                                        group.read_attribute_string("geometry"),
                                        group.where() + "@geometry")};
    hdf5::Shape maps = sky;
    for (const char* axis : {"height_m", "width_m"}) maps.push_back(group.dataset(axis).size());
    target.height = static_cast<std::int64_t>(maps[2]);
    target.width = static_cast<std::int64_t>(maps[3]);
    for (const Column<EfficiencyTarget>& column : efficiency_target_columns())
        read_list(group, target, column, column.axes.empty() ? sky : maps);
    return target;
}

}  // namespace

const Columns<EfficiencyTable>& efficiency_facts() {
    using T = EfficiencyTable;
    static const Columns<T> all{
        column({"grid", "", "Traced grid."}, &T::grid),
        column({"num_positions", "1", "Traced positions of the sun."}, &T::positions),
        column({.name = "num_check_positions",
                .unit = "1",
                .description = "Positions that were traced for interpolation_error.",
                .is_optional = true},
               &T::checks),
        converted_column<T>(
            {.name = "latitude_deg",
             .unit = "deg",
             .description = "Latitude of the plant.",
             .json = kNotInJson},
            [](const T& table) { return decimal_degrees(table.latitude); },
            [](T& table, double degrees) { table.latitude = degrees * kRadiansPerDegree; }),
        column({.name = "num_heliostats",
                .unit = "1",
                .description = "Active heliostats.",
                .json = "heliostats"},
               &T::heliostats),
        column({"mirror_area_m2", "m2", "Area of all mirrors."}, &T::mirror_area),
        column({"land_area_m2", "m2", "Area of the convex hull of the heliostats."}, &T::land_area),
        column({.name = "mean_mirror_height_m",
                .unit = "m",
                .description = "Mean height of the mirrors.",
                .json = kNotInJson},
               &T::mean_mirror_height)};
    return all;
}

const Columns<EfficiencyTable>& efficiency_columns() {
    using Table = EfficiencyTable;
    static const Columns<Table> all = [] {
        Columns<Table> columns;
        // The sunlight is left out: its fraction is 1.
        for (const EnergyTermInfo& term : energy_term_infos())
            if (term.member != &EnergyTerms::solar_power) columns.push_back(share_column(term));
        columns.push_back(column(
            {.name = "efficiency_std_error",
             .unit = "1",
             .description = "Standard error of the efficiency from the finite number of rays.",
             .json = "std_error"},
            &Table::std_error));
        // In files of earlier versions no heliostat is parked.
        columns.push_back(
            column({.name = "parked_loss",
                    .unit = "1",
                    .description = "As a share of irradiance times mirror area: on mirrors that "
                                   "are parked because they cannot follow the sun.",
                    .is_optional = true},
                   &Table::parked_loss));
        columns.push_back(
            column({"interpolation_error", "1", kInterpolationError}, &Table::interpolation_error));
        columns.push_back(converted_column<Table>(
            {.name = "reached",
             .unit = "1",
             .description = "1 where the sun gets to; other entries have the numbers of the "
                            "nearest position that it reaches.",
             .json = kNotInJson},
            [](const Table& table) {
                return std::vector<double>(table.reached.begin(), table.reached.end());
            },
            [](Table& table, const std::vector<double>& values) {
                for (const double reached : values) table.reached.push_back(reached != 0.0);
            }));
        return columns;
    }();
    return all;
}

const Columns<EfficiencyTarget>& efficiency_target_columns() {
    using T = EfficiencyTarget;
    static const std::vector<std::string> map{"height_m", "width_m"};
    static const Columns<T> all{
        column({"efficiency", "1", "Power on the target / (irradiance times area of all mirrors)."},
               &T::efficiency),
        column({"efficiency_std_error",
                "1",
                "Standard error of the efficiency from the finite number of rays."},
               &T::efficiency_std_error),
        // Files of earlier versions have no errors of single targets.
        column({.name = "interpolation_error",
                .unit = "1",
                .description = kInterpolationError,
                .is_optional = true},
               &T::interpolation_error),
        column({.name = "flux_share",
                .unit = "1",
                .description =
                    "Share of the target's power in each pixel; the sum of a map is 1, or 0 "
                    "without light. Row 0 is the top edge, column 0 the left edge as seen by an "
                    "observer in front of the target and facing it.",
                .axes = map},
               &T::flux_share),
        column({.name = "flux_share_std_error",
                .unit = "1",
                .description = "Standard error of flux_share, same layout.",
                .axes = map},
               &T::flux_share_std_error)};
    return all;
}

void write_efficiency(const EfficiencyTable& table, const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) { fill(std::move(root), table); });
}

bool is_efficiency(const hdf5::Group& root) {
    return root.has_attribute("format") && root.read_attribute_string("format") == kFormat;
}

EfficiencyTable read_efficiency(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    if (!is_efficiency(root) || root.read_attribute_integer("format_version") != 1) {
        throw InputError(Problem{root.where(),
                                 "is not an efficiency table that this version can read",
                                 "",
                                 "use a file that 'helioray efficiency' wrote"});
    }
    EfficiencyTable table(
        SunRectangle(radians(root, "azimuth_deg"), radians(root, "elevation_deg")));
    table.provenance = read_origin(root);
    read_attributes(root, table, efficiency_facts());
    // Files of earlier versions have neither check positions nor errors of single targets.
    const bool has_checks = root.has_attribute("num_check_positions");
    const hdf5::Shape shape{table.suns.azimuths().size(), table.suns.elevations().size()};
    table.shares.resize(table.suns.size());
    for (EnergyTerms& shares : table.shares) shares.solar_power = 1.0;
    table.parked_loss.assign(table.suns.size(), 0.0);
    for (const Column<EfficiencyTable>& column : efficiency_columns())
        read_list(root, table, column, shape);
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names())
        table.targets.push_back(read_target(targets.group(name), name, shape));
    if (!has_checks)
        for (EfficiencyTarget& target : table.targets)
            target.interpolation_error = table.interpolation_error;
    return table;
}

void write_efficiency_netcdf(const EfficiencyTable& table, const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) {
        root.write_attribute("title", "Optical efficiency and normalised flux by sun position");
        root.write_attribute("source", "HelioRay " + table.provenance.helioray_version);
        root.write_attribute("fingerprint", table.provenance.fingerprint);
        root.write_attribute("mirror_area_m2", table.mirror_area);
        SkyWriter sky(root,
                      table.suns,
                      {"altitude", "azimuth", true, [](double angle) { return angle; }, "rad"});
        add_field(sky, table);
        for (const EfficiencyTarget& target : table.targets)
            add_target(sky, root, target, "_" + target.target.name);
    });
}

}  // namespace helioray
