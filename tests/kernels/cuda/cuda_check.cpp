// SPDX-License-Identifier: MIT
// Checks of the CUDA kernel on a device, with nothing but CUDA: one line for each, exit code 1 when
// one fails. Without a device it says so and exits with 0.
//
//   cuda_check           agreement with the CPU, repeatability, several devices of one process
//   cuda_check --small   the same with few rays, for compute-sanitizer
//   cuda_check --least   agreement alone, with the fewest rays, for emulated devices
//   cuda_check --bench   rays per second
#include "tests/kernels/cuda/device_scene.h"
#include "tests/kernels/cuda/several_devices.h"
#include "tests/kernels/receiver_scenes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <thread>

using namespace helioray::kernels;
using helioray::test::Derivatives;
using helioray::test::DeviceScene;
using helioray::test::FeatureScene;
using helioray::test::SeveralDevices;
using helioray::test::Sums;

extern "C" const CudaDevices* helioray_cuda_devices(const int64_t* record_sizes, int64_t count);

namespace {

// What is promised of CPU and CUDA.
constexpr double kTotals = 1e-6;
constexpr double kPixels = 0.1;  // of the pixel's standard error

int num_failed = 0;
/// Scenes are traced again, in parts and in reverse order.
bool repeats = true;

void report(bool passed, const std::string& what, const std::string& detail) {
    std::printf("%s  %s: %s\n", passed ? "PASS" : "FAIL", what.c_str(), detail.c_str());
    num_failed += passed ? 0 : 1;
}

/// Says how far two backends' sums are apart.
void compare(const std::string& name, const Sums& cpu, const Sums& cuda) {
    if (cpu == cuda) {
        report(cpu.energy[kDeliveredSum] > 0, name, "the same bits as on the CPU");
        return;
    }
    double totals = 0.0;
    for (size_t i = 0; i < cpu.energy.size(); ++i) {
        const auto wanted = static_cast<double>(cpu.energy[i]);
        const auto found = static_cast<double>(cuda.energy[i]);
        // A difference between stages counts by the light that came in.
        const auto incident =
            static_cast<double>(cpu.energy[i / kNumEnergySums * kNumEnergySums + kIncidentSum]);
        totals = std::max(totals, std::abs(found - wanted) / incident);
    }
    double pixels = 0.0;
    for (size_t p = 0; p < cpu.flux.size(); ++p) {
        const auto difference =
            static_cast<double>(cuda.flux[p]) - static_cast<double>(cpu.flux[p]);
        if (difference == 0.0) continue;
        const double error = std::sqrt(static_cast<double>(cpu.flux_square[p]) /
                                       helioray::test::Scene::kSquareScale);
        pixels = std::max(pixels, std::abs(difference) / std::max(error, 1.0));
    }
    char detail[160];
    std::snprintf(detail,
                  sizeof detail,
                  "totals differ by %.1e, pixels by %.3f standard errors",
                  totals,
                  pixels);
    report(totals <= kTotals && pixels <= kPixels, name, detail);
}

void check_derivatives(const FeatureScene& f, const DeviceScene& device, int threads) {
    const std::vector<float> gradient = helioray::test::wavy_gradient(f);
    const Derivatives wanted = helioray::test::derivatives_on_cpu(f, gradient, threads);
    Derivatives first(f), second(f);
    device.trace_backward(gradient, first);
    if (repeats) device.trace_backward(gradient, second);
    const double apart = helioray::test::largest_difference(wanted, first);
    char detail[80];
    std::snprintf(detail, sizeof detail, "derivatives differ by %.1e", apart);
    report(apart <= kTotals, f.name, detail);
    if (repeats) report(second.same_sums(first), f.name, "derivatives with the same bits again");
}

/// Compares the forward pass of a scene with the CPU's. Returns its sums.
Sums check_scene(const FeatureScene& f, const DeviceScene& device, int threads) {
    const Sums first = device.trace();
    compare(f.name, f.trace_on_cpu(threads), first);
    if (!repeats) return first;
    report(device.trace() == first, f.name, "the same bits again");
    report(device.trace(3) == first, f.name, "the same bits in three launches");
    FeatureScene reversed = f;
    std::reverse(reversed.scene.units.begin(), reversed.scene.units.end());
    report(DeviceScene(reversed).trace() == first, f.name, "the same bits in reverse order");
    return first;
}

void check_receivers(int64_t pairs, int64_t rays) {
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (const FeatureScene& f : helioray::test::receiver_scenes::all(pairs, rays)) {
        const DeviceScene device(f);
        check_scene(f, device, threads);
        if (helioray::test::has_derivatives(f)) check_derivatives(f, device, threads);
    }
}

void check_features(int64_t pairs, int64_t rays, int64_t occlusion_rays) {
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::map<std::string, Sums> sums;
    for (const FeatureScene& f : helioray::test::feature_scenes::all(pairs, rays, occlusion_rays)) {
        const DeviceScene device(f);
        const Sums first = check_scene(f, device, threads);
        sums[f.name] = first;
        check_derivatives(f, device, threads);
    }
    report(sums.at("shading and blocking") == sums.at("shading and blocking, without culling"),
           "shading and blocking",
           "the same bits with and without culling");
}

const CudaDevices& module_devices() {
    return *helioray_cuda_devices(kRecordSizes, std::ssize(kRecordSizes));
}

/// Compares and measures all devices of this process together, where there are several.
void check_devices(int devices, int64_t pairs, int64_t rays, int64_t occlusion_rays) {
    if (devices == 1) {
        std::printf("several devices of one process: this machine has one\n");
        return;
    }
    helioray::test::check_several_devices(
        module_devices(),
        devices,
        helioray::test::feature_scenes::all(pairs, rays, occlusion_rays),
        report);
}

/// Prints the speeds of one and of all devices of this process.
void measure_devices(int devices) {
    FeatureScene f = helioray::test::feature_scenes::plain();
    f.scene.plan(int64_t{16384} * devices, 500000);
    const SeveralDevices scene(module_devices(), f);
    double first_speed = 0.0;
    for (int count = 1; count <= devices; ++count) {
        std::vector<int> indices(static_cast<size_t>(count));
        std::iota(indices.begin(), indices.end(), 0);
        double seconds = 0.0;
        scene.trace(indices, &seconds);
        const double speed = 2.0 * static_cast<double>(f.scene.units.size()) * 500000.0 / seconds;
        if (count == 1) first_speed = speed;
        std::printf("%-44s %9.3g rays/s, %.2f times one device\n",
                    device_names(indices).c_str(),
                    speed,
                    speed / first_speed);
    }
}

void measure(const std::string& name,
             int64_t units,
             const std::function<void(FeatureScene&)>& change) {
    FeatureScene f = helioray::test::feature_scenes::plain();
    f.scene.width = f.scene.height = 256;
    f.scene.sun = {AngularShape::Kind::gaussian, 2.09e-3f};
    change(f);
    constexpr int64_t kRays = 500000;
    f.scene.plan(units / 2, kRays);  // two heliostats, two blocks in a unit
    const DeviceScene device(f);
    const std::vector<float> gradient = helioray::test::wavy_gradient(f);
    float best = 1e30f, best_backward = 1e30f;
    for (int repeat = 0; repeat < 4; ++repeat) {
        float milliseconds = 0.0f;
        device.trace(1, &milliseconds);
        best = std::min(best, milliseconds);
        if (!helioray::test::has_derivatives(f)) continue;
        Derivatives derivatives(f);
        device.trace_backward(gradient, derivatives, &milliseconds);
        best_backward = std::min(best_backward, milliseconds);
    }
    const double rays = 2.0 * static_cast<double>(units) * kRays;
    const auto speed = [&](float milliseconds) {
        return rays / static_cast<double>(milliseconds) * 1e3;
    };
    std::printf("%-44s %9.3g rays/s", name.c_str(), speed(best));
    if (helioray::test::has_derivatives(f)) std::printf(", backward %9.3g", speed(best_backward));
    std::printf("  (%.3g rays in %.2f ms)\n", rays, static_cast<double>(best));
}

void measure_all() {
    const auto spline = [](FeatureScene& f) { helioray::test::use_flat_bspline(f.scene, 10); };
    measure("paraboloid, Sobol, box", 16384, [](FeatureScene&) {});
    measure("cubic B-spline, Sobol, box", 16384, spline);
    measure("cubic B-spline, Sobol, bilinear", 16384, [&](FeatureScene& f) {
        spline(f);
        f.scene.filter = FilterKind::bilinear;
    });
    measure("cubic B-spline, random numbers, box", 16384, [&](FeatureScene& f) {
        spline(f);
        f.scene.sampling = SamplingKind::random;
    });
    measure("paraboloid, table sun", 16384, helioray::test::feature_scenes::use_table_sun);
    measure("paraboloid, 1024 x 1024 pixels", 16384, [](FeatureScene& f) {
        f.scene.width = f.scene.height = 1024;
    });
    measure(
        "paraboloid, shading and blocking", 2048, helioray::test::feature_scenes::use_occlusion);
    const auto small_maps = [](FeatureScene& f) { f.scene.width = f.scene.height = 64; };
    measure("receiver of 24 panels, 64 x 64 pixels", 16384, [&](FeatureScene& f) {
        small_maps(f);
        helioray::test::receiver_scenes::use_polygon(f, 24);
    });
    measure("cavity of 12 surfaces, 64 x 64 pixels", 16384, [&](FeatureScene& f) {
        small_maps(f);
        helioray::test::receiver_scenes::use_cavity(f);
    });
    measure("this cavity, absorptance 0.6, 3 bounces", 4096, [&](FeatureScene& f) {
        small_maps(f);
        helioray::test::receiver_scenes::use_cavity(f);
        helioray::test::receiver_scenes::reflect(f, 0.6f, 0.0f, 3.0f, 2);
    });
    measure("sphere of 10,000 triangles, 100 x 100 pixels", 16384, [](FeatureScene& f) {
        f.scene.width = f.scene.height = 100;
        helioray::test::receiver_scenes::clear_targets(f);
        helioray::test::receiver_scenes::add_mesh(
            f.scene, helioray::test::sphere(100, 2.0), {0.0f, 0.0f, 0.0f}, 2.0f);
    });
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (argc > 2 || (mode != "" && mode != "--small" && mode != "--least" && mode != "--bench")) {
        std::fprintf(stderr, "usage: cuda_check [--small | --least | --bench]\n");
        return 2;
    }
    int devices = 0;
    const cudaError_t found = cudaGetDeviceCount(&devices);
    if (found != cudaSuccess || devices == 0) {
        std::printf("SKIP  no CUDA device: %s\n",
                    found != cudaSuccess ? cudaGetErrorString(found) : "none present");
        return 0;
    }
    try {
        cudaDeviceProp properties{};
        helioray::test::check_cuda(cudaGetDeviceProperties(&properties, 0), "properties");
        std::printf("device: %s\n", properties.name);
        if (mode == "--bench") {
            measure_all();
            measure_devices(devices);
        } else if (mode == "--small") {
            check_features(1, 3001, 300);
            check_receivers(1, 1501);
            check_devices(devices, 1, 3001, 300);
        } else if (mode == "--least") {
            repeats = false;
            check_features(1, 301, 60);
            check_receivers(1, 301);
        } else {
            check_features(8, 100003, 30011);
            check_receivers(8, 100003);
            check_devices(devices, 200, 4001, 301);
        }
    } catch (const std::exception& error) {
        report(false, "CUDA", error.what());
    }
    if (mode != "--bench") std::printf("%d failed\n", num_failed);
    return num_failed == 0 ? 0 : 1;
}
