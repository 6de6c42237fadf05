// SPDX-License-Identifier: MIT
// Finds, reads and checks records and pictures.
#include "raytracer/solvers/reconstruction/images/flux_records.h"

#include "raytracer/solvers/measured_flux/map_comparison.h"
#include "raytracer/solvers/reconstruction/images/picture_background.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/kinematics/alignment.h"
#include "scenario/files/error.h"
#include "scenario/import/paint/calibration.h"
#include "scenario/import/paint/paint.h"
#include "scenario/reader/read_log.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

namespace helioray::reconstruction {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecordEnding = "-calibration-properties.json";

bool is_record(const fs::path& path) {
    return path.filename().string().ends_with(kRecordEnding);
}

/// Returns the record of a path: the path itself, or the record of a picture "<id>-flux...png".
fs::path find_record(const fs::path& path) {
    if (is_record(path)) return path;
    const std::string name = path.filename().string();
    for (const ImageKind kind : {ImageKind::flux_centered, ImageKind::flux}) {
        const std::string ending = fmt::format("-{}.png", to_string(kind));
        if (name.ends_with(ending))
            return path.parent_path() /
                   (name.substr(0, name.size() - ending.size()) + kRecordEnding);
    }
    throw InputError(
        Problem{path.string(),
                "is neither a record nor a flux image",
                "names of the PAINT database are expected",
                fmt::format("name a folder, <id>{} or <id>-flux-centered.png", kRecordEnding)});
}

std::vector<fs::path> records_below(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(
             folder, fs::directory_options::follow_directory_symlink, error)) {
        if (entry.is_regular_file() && is_record(entry.path())) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    if (found.empty()) {
        throw InputError(Problem{folder.string(),
                                 fmt::format("there is no <id>{} below it", kRecordEnding),
                                 "folders are expected in the layout of the PAINT database",
                                 "check the folder, or name the files"});
    }
    return found;
}

/// Returns the heliostat of a record; empty if the scenario does not have it.
std::optional<size_t> heliostat_of(const fs::path& file, const Scenario& scenario) {
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
    for (fs::path at = folder; at.has_filename(); at = at.parent_path())
        if (const auto index = scenario.find_heliostat(at.filename().string())) return index;
    return std::nullopt;
}

/// Returns the brightness of 16 x 16 blocks of a picture, in which the noise of single pixels
/// averages out.
std::vector<double> mean_of_blocks(const FluxMap& map) {
    constexpr int64_t kBlocks = 16;
    std::vector<double> sums(kBlocks * kBlocks, 0.0), counts(kBlocks * kBlocks, 0.0);
    for (int64_t row = 0; row < map.height; ++row) {
        for (int64_t column = 0; column < map.width; ++column) {
            const auto block = static_cast<size_t>(row * kBlocks / map.height * kBlocks +
                                                   column * kBlocks / map.width);
            sums[block] += map.values[static_cast<size_t>(row * map.width + column)];
            counts[block] += 1.0;
        }
    }
    for (size_t i = 0; i < sums.size(); ++i) sums[i] /= std::max(1.0, counts[i]);
    return sums;
}

/// Returns the reason why a picture cannot be used; empty if it can.
std::string find_fault(const FluxMap& map) {
    // A picture without a spot still has noise; its brightness is the same everywhere.
    constexpr double kMostOfMaximum = 0.5;
    constexpr double kMostSaturated = 0.25;
    std::vector<double> sorted = map.values;
    std::sort(sorted.begin(), sorted.end());
    const double most = sorted.back();
    if (most == 0.0) return "the picture is black throughout";
    std::vector<double> coarse = mean_of_blocks(map);
    const auto middle = coarse.begin() + static_cast<long>(coarse.size() / 2);
    std::nth_element(coarse.begin(), middle, coarse.end());
    if (*middle > kMostOfMaximum * *std::max_element(middle, coarse.end()))
        return "no spot stands out from the picture's background";
    const auto above = [&](double limit) {
        return static_cast<double>(sorted.end() -
                                   std::lower_bound(sorted.begin(), sorted.end(), limit));
    };
    if (above(0.999 * most) > kMostSaturated * above(0.5 * most))
        return "more than a quarter of the spot is saturated";
    return "";
}

class Reader {
  public:
    Reader(const Scenario& scenario, ImageKind kind) : scenario_(scenario), kind_(kind) {}

    void read(const fs::path& file, size_t heliostat, PaintUse use, FluxRecords& to) const {
        const PaintCalibration record = read_paint_calibration(file, scenario_.position);
        const auto reject = [&](const std::string& reason) {
            to.rejected.push_back({scenario_.heliostats[heliostat].name, record.id, reason});
        };
        if (use == PaintUse::unlisted) return reject(kNotInSplit);
        const auto index = scenario_.find_target(record.target);
        if (!index)
            return reject(fmt::format("there is no target '{}' in the scenario", record.target));
        const Target& target = scenario_.targets[*index];
        const auto* plane = std::get_if<PlanarTarget>(&target.geometry);
        if (plane == nullptr)
            return reject(fmt::format("target '{}' is not a plane", record.target));
        const fs::path picture =
            file.parent_path() / fmt::format("{}-{}.png", record.id, to_string(kind_));
        if (!fs::exists(picture))
            return reject(fmt::format("there is no {}", picture.filename().string()));
        GreyImage grey = read_grey_png(picture, BlackPicture::allow);

        FluxRecord made;
        made.id = record.id;
        made.file = file;
        made.heliostat = heliostat;
        made.target = record.target;
        made.predicted = use == PaintUse::predicted;
        made.map = {
            grey.width, grey.height, {kImageExtent, kImageExtent}, std::move(grey.values), 0.0};
        if (const std::string fault = find_fault(made.map); !fault.empty()) return reject(fault);
        subtract_background(made.map);

        const std::array<Vec3, 3> axes = flat_axes(plane->normal);
        Vec3 middle = plane->center;
        if (kind_ == ImageKind::flux) {
            made.map.extent = surface_extent(target);
        } else {
            if (record.focal_spots.empty()) return reject("it has no measured spot");
            const auto utis = record.focal_spots.find("UTIS");
            middle = utis != record.focal_spots.end() ? utis->second
                                                      : record.focal_spots.begin()->second;
        }
        const FluxWindow window = window_about_centroid(made.map, kImagePixels);
        made.geometry.normal = plane->normal;
        made.geometry.centre =
            add_scaled(add_scaled(middle, window.centre[0], axes[0]), window.centre[1], axes[1]);
        const double azimuth = record.sun_azimuth, elevation = record.sun_elevation;
        made.geometry.to_sun = {std::sin(azimuth) * std::cos(elevation),
                                std::cos(azimuth) * std::cos(elevation),
                                std::sin(elevation)};
        const std::array<size_t, 1> indices{heliostat};
        const auto kinematics = kinematics_records(scenario_, indices);
        const std::array<Vec3, 1> light{scaled(-1.0, made.geometry.to_sun)};
        const std::array<Vec3, 1> aim{made.geometry.centre};
        const AlignedMirror mirror = align_to_aim_points(kinematics, light, aim).mirrors[0];
        if (!mirror.converged)
            return reject("the heliostat cannot reflect this sun to the measured spot");
        made.geometry.orientation = mirror.orientation;
        const ActuatorPair& drives = *scenario_.heliostats[heliostat].actuators;
        const std::array<std::array<double, 2>, 1> positions{record.motor_positions};
        const AlignedMirror turned = align_to_motor_positions(kinematics, positions).mirrors[0];
        const auto counts_steps = [](const Actuator& a) { return a.type == ActuatorType::linear; };
        if (std::all_of(drives.begin(), drives.end(), counts_steps) && turned.within_limits[0] &&
            turned.within_limits[1])
            made.by_motors = turned.orientation;
        to.records.push_back(std::move(made));
    }

  private:
    const Scenario& scenario_;
    ImageKind kind_;
};

}  // namespace

std::string to_string(ImageKind kind) {
    return find_word(kImageKinds, kind);
}

FluxRecords read_flux_records(const Scenario& scenario,
                              std::span<const std::string> paths,
                              ImageKind kind,
                              std::span<const std::string> names,
                              const PaintSplits& splits,
                              PaintUse use) {
    ReadLog log;
    FluxRecords result;
    std::set<fs::path> known;
    size_t elsewhere = 0;
    const Reader reader(scenario, kind);
    const auto is_new = [&](const fs::path& file) {
        std::error_code error;
        return known.insert(fs::weakly_canonical(file, error)).second;
    };
    const auto read = [&](const fs::path& file, size_t heliostat, bool fitted) {
        const std::string& name = scenario.heliostats[heliostat].name;
        if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) return;
        PaintUse of_record = use;
        if (use == PaintUse::open)
            of_record = fitted ? splits.use_of(name, paint_record_id(file)) : PaintUse::predicted;
        log.attempt([&] { reader.read(file, heliostat, of_record, result); });
    };
    const auto read_alone = [&](const fs::path& file) {
        if (!is_new(file)) return;
        auto heliostat = heliostat_of(file, scenario);
        if (!heliostat) {
            const auto row = splits.heliostat_of(paint_record_id(file));
            if (row) heliostat = scenario.find_heliostat(*row);
        }
        if (!heliostat) {
            ++elsewhere;
            return;
        }
        read(file, *heliostat, true);
    };
    std::vector<std::string> all;
    for (const Heliostat& heliostat : scenario.heliostats) all.push_back(heliostat.name);
    for (const std::string& path : paths) {
        log.attempt([&] {
            if (!fs::is_directory(path)) return read_alone(find_record(path));
            for (const PaintSplitRecord& entry : splits.records(path, all, log)) {
                if (is_new(entry.record.file))
                    read(entry.record.file,
                         *scenario.find_heliostat(entry.record.heliostat),
                         entry.fitted);
            }
            for (const PaintBenchmarkFile& other : find_paint_benchmark(path))
                if (is_new(other.file)) ++elsewhere;
            for (const fs::path& file : records_below(path)) read_alone(file);
        });
    }
    log.throw_if_any();
    if (result.records.empty() && result.rejected.empty() && !paths.empty()) {
        throw InputError(Problem{
            paths.front(),
            "there is no record of a heliostat of this scenario",
            fmt::format(
                "{} records belong to others; the folder above a record names its heliostat",
                elsewhere),
            "name the scenario that holds them"});
    }
    result.elsewhere = elsewhere;
    std::sort(result.records.begin(), result.records.end(), [](const auto& a, const auto& b) {
        return std::tie(a.heliostat, a.id) < std::tie(b.heliostat, b.id);
    });
    return result;
}

}  // namespace helioray::reconstruction
