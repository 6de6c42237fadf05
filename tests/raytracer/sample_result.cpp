// SPDX-License-Identifier: MIT
// Sample data and helpers for tests of outputs.
#include "tests/raytracer/sample_result.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace helioray::test {

namespace fs = std::filesystem;

namespace {

TargetResult sample_target(const Target& target, double offset) {
    TargetResult t;
    t.target = target;
    t.width = 5;
    t.height = 4;
    for (int i = 0; i < 20; ++i) {
        t.flux.push_back(offset + 1000.0 * i + 1.0 / 3.0);
        t.flux_std_error.push_back(0.01 * offset + i);
    }
    t.power_w = 7.0 * offset;
    t.power_std_error_w = 0.07 * offset;
    t.peak_flux_w_m2 = 0.9 * t.flux.back();
    t.peak_flux_std_error_w_m2 = 0.01 * t.flux.back();
    t.peak_area_m2 = 0.25;
    t.peak_pixel_w_m2 = t.flux.back();
    t.centroid_m = {0.1 + offset, -0.2, 55.3};
    return t;
}

HeliostatResult sample_heliostat(const std::string& name, const std::string& target, double k) {
    HeliostatResult h;
    h.name = name;
    h.target = target;
    h.energy = {40e3 + k, 5e3 + k, 300.0, 2e3, 700.0, 90.0, 1e3 + k, 30910.0 - k};
    h.target_power_std_error = 12.5 + k;
    for (size_t i = 0; i < 16; ++i) h.orientation[i] = 0.1 * static_cast<double>(i) + k;
    h.motor_positions = {16963.25 + k, 72374.5 + k};
    h.aim_point = {-17.6, -2.7 + k, 52.0};
    h.mirror_outline = std::array<Vec3, 4>{Vec3{-1.5 - k, -1, 0.1},
                                           Vec3{1.5 + k, -1, 0.1},
                                           Vec3{1.5 + k, 1, 0.1},
                                           Vec3{-1.5 - k, 1, 0.1}};
    h.rays = 1'000'000 + static_cast<int64_t>(k);
    h.reflectivity = 0.9 - 1e-3 * k;
    for (int i = 0; i < 20; ++i) h.flux.push_back(static_cast<float>(k + 0.5 * i));
    return h;
}

}  // namespace

RunResult sample_result() {
    RunResult r;
    r.provenance = {"0.1.0",
                    "0123456789ab",
                    "2026-11-21T12:34:56Z",
                    "scenario: \"plant.h5\"\n# Jülich\n",
                    "plants/runs",
                    "plants/plant.h5",
                    std::string(64, 'c'),
                    18'446'744'073'709'551'615U,
                    3'000'003,
                    4,
                    "gloo",
                    "cpu",
                    "torchrun",
                    "00ff17aa5511bb22",
                    {0.0, -std::sqrt(0.5), std::sqrt(0.5)},
                    "avx2"};
    CylindricalTarget cylinder;
    cylinder.center = {1.0 / 3.0, 0.0, 120.0};
    cylinder.radius = 8.1;
    cylinder.height = 18.0;
    cylinder.opening_angle = 6.0;
    cylinder.side = CylindricalTarget::Side::inner;
    PlanarTarget plane;
    plane.center = {-17.6, -2.7, 52.0};
    plane.normal = {0.6, 0.8, 0.0};
    plane.width = 8.6;
    plane.height = 7.2;
    r.targets.push_back(sample_target({"cavity", cylinder}, 1e5));
    r.targets.push_back(sample_target({"receiver", plane}, 2e5));
    r.heliostats.push_back(sample_heliostat("AA28", "receiver", 1.0));
    r.heliostats.push_back(sample_heliostat("AA31", "cavity", 2.0));
    r.heliostats.push_back(sample_heliostat("AA39", "receiver", 3.0));
    r.trace_seconds = 1.5;
    r.total_seconds = 2.25;
    r.rays_per_second = 2.0e6;
    r.peak_rss_mb = 321.0;
    return r;
}

RunResult result_with(std::vector<TargetResult> targets) {
    RunResult result = sample_result();
    result.targets = std::move(targets);
    return result;
}

TargetResult spot(const std::string& name,
                  double width,
                  double height,
                  int64_t columns,
                  int64_t rows,
                  double peak) {
    PlanarTarget plane;
    plane.width = width;
    plane.height = height;
    TargetResult t;
    t.target = {name, plane};
    t.width = columns;
    t.height = rows;
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            const double x =
                6.0 * ((static_cast<double>(j) + 0.5) / static_cast<double>(columns) - 0.5);
            const double y =
                6.0 * (0.5 - (static_cast<double>(i) + 0.5) / static_cast<double>(rows));
            t.flux.push_back(peak * std::exp(-x * x - y * y));
            t.power_w += t.flux.back() * width * height / static_cast<double>(columns * rows);
        }
    }
    t.flux_std_error.assign(t.flux.size(), 0.0);
    t.peak_flux_w_m2 = t.peak_pixel_w_m2 = *std::max_element(t.flux.begin(), t.flux.end());
    return t;
}

ScratchFolder::ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "helioray-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no folder for the test");
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

size_t ScratchFolder::num_entries() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

std::string read_bytes(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

FullDisk::FullDisk(size_t bytes) : handler_before_(std::signal(SIGXFSZ, SIG_IGN)) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit_before_ = limit.rlim_cur;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

FullDisk::~FullDisk() {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit_before_;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, handler_before_);
}

}  // namespace helioray::test
