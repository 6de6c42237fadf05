// SPDX-License-Identifier: MIT
// Creates tables for SAM, SolarPILOT and SolarTherm.
#include "app/output/export/efficiency_files.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/efficiency/sky_coverage.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/files/units.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace helioray {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kSquareMetresPerAcre = 4046.8564224;
constexpr std::size_t kFewestColumns = 12;
constexpr int kMostPanels = 1000;

void check_numbers(const PlantModelOptions& options) {
    std::vector<Problem> problems;
    if (!kAbsorptances.contains(options.absorptance))
        problems.push_back({"absorptance",
                            fmt::format("{} is out of range", options.absorptance),
                            kAbsorptances.why,
                            "give a value " + kAbsorptances.sentence()});
    if (options.panels < 1 || options.panels > kMostPanels)
        problems.push_back({"panels",
                            fmt::format("{} is out of range", options.panels),
                            "flux maps have a column for each",
                            fmt::format("give a number from 1 to {}", kMostPanels)});
    if (options.land_area && !(*options.land_area > 0.0 && std::isfinite(*options.land_area)))
        problems.push_back({"land area",
                            fmt::format("{} is out of range", *options.land_area),
                            "it is an area in m2",
                            "give a value above 0"});
    if (!problems.empty()) throw InputError(std::move(problems));
}

/// Returns the target of the table; also checks the numbers of the options.
const EfficiencyTarget& chosen_target(const EfficiencyTable& table,
                                      const PlantModelOptions& options) {
    check_numbers(options);
    std::vector<std::string> names;
    for (const EfficiencyTarget& target : table.targets) {
        if (target.target.name == options.target) return target;
        names.push_back(target.target.name);
    }
    if (options.target.empty() && table.targets.size() == 1) return table.targets.front();
    if (options.target.empty()) {
        throw InputError(Problem{"target",
                                 fmt::format("the table has {} targets", table.targets.size()),
                                 "a plant model has one receiver",
                                 fmt::format("choose one of {}", fmt::join(names, ", "))});
    }
    throw InputError(Problem{"target",
                             fmt::format("nobody aims at '{}'", options.target),
                             "",
                             suggest(options.target, names)});
}

/// Returns the cylinder around which columns are counted; null for other targets.
const CylindricalTarget* external_cylinder(const EfficiencyTarget& target) {
    const auto* cylinder = std::get_if<CylindricalTarget>(&target.target.geometry);
    return cylinder != nullptr && cylinder->side == CylindricalTarget::Side::outer ? cylinder
                                                                                   : nullptr;
}

/// Adds an amount that is distributed evenly between two places on the line of `columns`, which
/// extends from 0 to 1 and is periodic.
void spread(double begin, double end, double amount, std::vector<double>& columns) {
    const auto count = static_cast<double>(columns.size());
    const double first = begin * count, last = end * count;
    for (double at = first; at < last - 1e-12;) {
        const double next = std::min(last, std::floor(at + 1e-12) + 1.0);
        const double column = std::floor(at + 1e-12);
        const auto index = static_cast<std::size_t>(column - count * std::floor(column / count));
        columns[index] += amount * (next - at) / (last - first);
        at = next;
    }
}

struct Entry {
    std::size_t number;
    double azimuth_deg;  ///< clockwise from north
    double zenith_deg;
};

/// Returns the entries that the sun reaches.
std::vector<Entry> find_lit_entries(const EfficiencyTable& table) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < table.suns.size(); ++i) {
        const auto [azimuth, elevation] = table.suns.sun(i);
        if (table.reached[i])
            entries.push_back({i, decimal_degrees(azimuth), 90.0 - decimal_degrees(elevation)});
    }
    return entries;
}

std::size_t count_columns(const EfficiencyTarget& target, const PlantModelOptions& options) {
    const auto panels = static_cast<std::size_t>(options.panels);
    return external_cylinder(target) != nullptr ? std::max(kFewestColumns, panels) : panels;
}

/// Rounds an angle to the decimals of the files, so that angles that differ less are equal.
double rounded(double degrees) {
    return std::round(degrees * 1e9) / 1e9;
}

/// Converts an azimuth from -360 to 360 degrees to one from south, east negative, in [-180, 180).
double from_south(double azimuth_deg) {
    const double angle = rounded(azimuth_deg - 180.0);
    return angle < -180.0 ? rounded(angle + 360.0) : angle;
}

std::string flux_rows(const EfficiencyTable& table,
                      const EfficiencyTarget& target,
                      const PlantModelOptions& options) {
    std::string text;
    for (const Entry& entry : find_lit_entries(table))
        text += fmt::format(
            "{}\n",
            fmt::join(receiver_columns(target, entry.number, count_columns(target, options)), ","));
    return text;
}

}  // namespace

std::vector<double> receiver_columns(const EfficiencyTarget& target,
                                     std::size_t entry,
                                     std::size_t columns) {
    const auto width = static_cast<std::size_t>(target.width);
    const auto height = static_cast<std::size_t>(target.height);
    std::vector<double> own(width, 0.0);
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t i = 0; i < width; ++i)
            own[i] += target.flux_share[(entry * height + row) * width + i];

    // Column j of the map begins at begin + j * step turns.
    double begin = 0.0, step = 1.0 / static_cast<double>(width);
    if (const CylindricalTarget* cylinder = external_cylinder(target)) {
        // Columns of the map and of the plant models both run towards lower azimuths.
        const double azimuth = std::atan2(cylinder->normal[0], cylinder->normal[1]);
        begin = (std::numbers::pi - azimuth - 0.5 * cylinder->opening_angle) / kTurn;
        step = cylinder->opening_angle / kTurn / static_cast<double>(width);
    }
    std::vector<double> found(columns, 0.0);
    for (std::size_t i = 0; i < width; ++i) {
        const double at = begin + step * static_cast<double>(i);
        spread(at, at + step, own[i], found);
    }
    const double sum = std::accumulate(found.begin(), found.end(), 0.0);
    for (double& column : found)
        column = sum > 0.0 ? column / sum : 1.0 / static_cast<double>(columns);
    return found;
}

std::vector<ExportFile> sam_files(const EfficiencyTable& table, const PlantModelOptions& options) {
    const EfficiencyTarget& target = chosen_target(table, options);
    nlohmann::ordered_json sam;
    sam["field_model_type"] = 4;
    sam["eta_map_aod_format"] = 0;
    sam["A_sf_in"] = table.mirror_area;
    sam["N_hel"] = table.heliostats;
    sam["total_land_area_before_rad_cooling_in"] =
        options.land_area.value_or(table.land_area) / kSquareMetresPerAcre;
    sam["rec_absorptance"] = options.absorptance;
    const CylindricalTarget* cylinder = external_cylinder(target);
    if (cylinder != nullptr) {
        sam["receiver_type"] = 0;
        sam["N_panels"] = options.panels;
        sam["D_rec"] = 2.0 * cylinder->radius;
        sam["rec_height"] = cylinder->height;
        sam["h_tower"] = cylinder->center[2] - table.mean_mirror_height;
    } else {
        sam["receiver_type"] = 1;
        sam["n_cav_rec_panels"] = options.panels;
    }
    std::string eta, errors = "azimuth_deg,zenith_deg,efficiency,std_error,interpolation_error\n";
    const std::size_t columns = count_columns(target, options);
    auto& eta_map = sam["eta_map"] = nlohmann::ordered_json::array();
    auto& flux_maps = sam["flux_maps"] = nlohmann::ordered_json::array();
    for (const auto& [number, azimuth, zenith] : find_lit_entries(table)) {
        const double factor = options.absorptance;
        const double efficiency = factor * target.efficiency[number];
        eta_map.push_back({rounded(azimuth), rounded(zenith), efficiency});
        flux_maps.push_back(receiver_columns(target, number, columns));
        eta += fmt::format("{},{},{}\n", rounded(azimuth), rounded(zenith), efficiency);
        errors += fmt::format("{},{},{},{},{}\n",
                              rounded(azimuth),
                              rounded(zenith),
                              efficiency,
                              factor * target.efficiency_std_error[number],
                              factor * target.interpolation_error[number]);
    }
    return {{"sam.json", sam.dump(1) + "\n"},
            {"eta_map.csv", eta},
            {"flux_maps.csv", flux_rows(table, target, options)},
            {"eta_errors.csv", errors}};
}

namespace {

/// Returns the matrix of efficiencies. `order` has the indices of the elevations in the order of
/// the columns.
std::string matrix(const EfficiencyTable& table,
                   const EfficiencyTarget& target,
                   const PlantModelOptions& options,
                   const std::vector<std::size_t>& order) {
    std::string text = "0";
    for (const std::size_t k : order)
        text += fmt::format(",{}", decimal_degrees(table.suns.elevations()[k]));
    // Rows ascend, even for azimuths across north.
    std::vector<std::pair<double, std::size_t>> rows;
    for (std::size_t i = 0; i < table.suns.azimuths().size(); ++i)
        rows.emplace_back(from_south(decimal_degrees(table.suns.azimuths()[i])), i);
    std::ranges::sort(rows);
    for (const auto& [azimuth, i] : rows) {
        text += fmt::format("\n{}", azimuth);
        for (const std::size_t k : order)
            text +=
                fmt::format(",{}", options.absorptance * target.efficiency[i * order.size() + k]);
    }
    return text + "\n";
}

}  // namespace

std::vector<ExportFile> solarpilot_files(const EfficiencyTable& table,
                                         const PlantModelOptions& options) {
    const EfficiencyTarget& target = chosen_target(table, options);
    std::vector<std::size_t> order(table.suns.elevations().size());
    std::iota(order.begin(), order.end(), 0U);
    const std::string modelica = fmt::format("#1\ndouble sf_eff_table({},{})\n",
                                             table.suns.azimuths().size() + 1,
                                             order.size() + 1) +
                                 matrix(table, target, options, order);
    std::ranges::reverse(order);
    std::string rows;
    for (const auto& [number, azimuth, zenith] : find_lit_entries(table))
        rows += fmt::format("{},{},{}\n",
                            from_south(azimuth),
                            rounded(zenith),
                            options.absorptance * target.efficiency[number]);
    return {{"efficiency_matrix.csv", matrix(table, target, options, order)},
            {"efficiency_matrix.txt", modelica},
            {"efficiency.csv", rows},
            {"flux.csv", flux_rows(table, target, options)}};
}

namespace {

/// Irradiance for which SolarTherm's own tables give the receiver's power, W/m2.
constexpr double kDesignIrradiance = 1000.0;

/// Rectangle of declinations and hour angles in degrees.
struct HourGrid {
    std::vector<double> declinations, hour_angles;

    HourGrid() {
        constexpr double kObliquity = 23.45;
        for (int i = 0; i < 9; ++i) declinations.push_back(kObliquity * (i - 4) / 4.0);
        for (int i = -36; i <= 36; ++i) hour_angles.push_back(5.0 * i);
    }
};

}  // namespace

std::string solartherm_motab(const EfficiencyTable& table, const PlantModelOptions& options) {
    const EfficiencyTarget& target = chosen_target(table, options);
    const HourGrid grid;
    const auto [width, height] = surface_extent(target.target);
    const SkyGrid::Node noon = sun_at_hour_angle(table.latitude, 0.0, 0.0);  // at an equinox
    const double at_design = efficiency_at(table, noon.azimuth, noon.elevation).shares.target_power;
    const bool is_partial = !coverage_warning(table.suns, table.latitude).empty();
    // SolarTherm's function Metadata_Optics reads eight numbers from fixed places in the fifth
    // line.
    std::string text = fmt::format(
        "#1\n"
        "#Comments: HelioRay {}, fingerprint {}; light on the receiver, before its absorptance{}\n"
        "#METALABELS,n_helios,A_helio,Eff_design,H_rcv,W_rcv,H_tower,Q_in_rcv,A_land\n"
        "##METAUNITS,real,m2,real,m,m,m,W,m2\n"
        "#METADATA,{},{},{},{},{},{},{},{}\n",
        table.provenance.helioray_version,
        table.provenance.fingerprint,
        is_partial ? "; beyond_table is 1 where the sun is up and the traced table does not reach: "
                     "its nearest entries are given there"
                   : "",
        table.heliostats,
        table.mirror_area / static_cast<double>(table.heliostats),
        at_design,
        height,
        width,
        default_aim_point(target.target)[2] - table.mean_mirror_height,
        kDesignIrradiance * table.mirror_area * at_design,
        options.land_area.value_or(table.land_area));
    const auto add = [&](const std::string& name, const auto& find_number) {
        text += fmt::format(
            "double {}({},{})\n0", name, grid.declinations.size() + 1, grid.hour_angles.size() + 1);
        for (const double hour_angle : grid.hour_angles) text += fmt::format(" {}", hour_angle);
        for (const double declination : grid.declinations) {
            text += fmt::format("\n{}", declination);
            for (const double hour_angle : grid.hour_angles) {
                const SkyGrid::Node sun = sun_at_hour_angle(table.latitude,
                                                            declination * kRadiansPerDegree,
                                                            hour_angle * kRadiansPerDegree);
                const bool is_up = sun.elevation > 0.0;
                text += fmt::format(
                    " {}",
                    is_up ? find_number(efficiency_at(table, sun.azimuth, sun.elevation)) : 0.0);
            }
        }
        text += "\n";
    };
    const EnergyTerms shares = summed_shares(table);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        if (term.member == &EnergyTerms::solar_power || !is_shown(term, shares)) continue;
        const bool is_efficiency = term.member == &EnergyTerms::target_power;
        add(is_efficiency ? "optics" : term.name,
            [&](const EfficiencyEstimate& at) { return at.shares.*term.member; });
    }
    add("parked_loss", [](const EfficiencyEstimate& at) { return at.parked_loss; });
    if (is_partial)
        add("beyond_table", [](const EfficiencyEstimate& at) { return at.is_covered ? 0.0 : 1.0; });
    return text;
}

bool is_folder(PlantModel model) {
    return model == PlantModel::sam || model == PlantModel::solarpilot;
}

std::vector<std::filesystem::path> write_plant_model(PlantModel model,
                                                     const EfficiencyTable& table,
                                                     const PlantModelOptions& options,
                                                     const std::filesystem::path& path) {
    if (is_folder(model)) {
        const std::vector<ExportFile> files =
            model == PlantModel::sam ? sam_files(table, options) : solarpilot_files(table, options);
        write_files(files, path);
        std::vector<std::filesystem::path> paths;
        for (const ExportFile& file : files) paths.push_back(path / file.name);
        return paths;
    }
    if (model == PlantModel::netcdf) {
        write_efficiency_netcdf(table, path);
    } else {
        write_text_file(path, solartherm_motab(table, options));
    }
    return {path};
}

}  // namespace helioray
