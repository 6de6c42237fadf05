// SPDX-License-Identifier: MIT
// Several devices of one process: the same sums as one, division of the units, errors.
#include "kernels/field_on_devices.h"
#include "tests/emulated_cuda/cuda_runtime.h"
#include "tests/emulated_cuda/emulated_devices.h"
#include "tests/emulated_cuda/launch_watch.h"
#include "tests/kernels/cuda/several_devices.h"
#include "tests/kernels/derivatives.h"
#include "tests/kernels/feature_scenes.h"
#include "tests/kernels/receiver_scenes.h"
#include "tests/support/catch2.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

using namespace helioray::kernels;
using helioray::test::Derivatives;
using helioray::test::FeatureScene;

namespace {

using FlatSums = std::vector<int64_t>;

std::unique_ptr<DeviceField> upload(const FeatureScene& f, const std::vector<int>& devices) {
    return upload_to_devices(helioray::test::emulated_devices(), f.view(), devices);
}

SumsLayout flat_layout(const FeatureScene& f) {
    return {.num_targets = std::ssize(f.scene.targets),
            .num_heliostats = std::ssize(f.scene.heliostats),
            .height = f.scene.height,
            .width = f.scene.width,
            .per_heliostat = f.per_heliostat,
            .differences = true};
}

int64_t rays_of_unit(const FeatureScene& f) {
    const WorkUnit& unit = f.scene.units.front();
    return 2 * unit.rays_per_block * unit.num_heliostats;
}

int64_t trace_units(DeviceField& field,
                    const FeatureScene& f,
                    int64_t begin,
                    int64_t end,
                    const CpuOptions& options = {}) {
    return field.trace(
        f.scene.units.data() + begin, end - begin, rays_of_unit(f), flat_layout(f), options);
}

FlatSums read_flat(DeviceField& field, const FeatureScene& f) {
    FlatSums sums(static_cast<size_t>(flat_layout(f).total_size()));
    field.read_sums(0, std::ssize(sums), sums.data());
    return sums;
}

/// Returns the sums of the first units on one device.
FlatSums sums_of_one(const FeatureScene& f, int64_t num_units) {
    const auto field = upload(f, {0});
    trace_units(*field, f, 0, num_units);
    return read_flat(*field, f);
}

/// A scene with many small units.
FeatureScene many_units() {
    FeatureScene f = helioray::test::feature_scenes::plain();
    f.scene.plan(150, 4);
    return f;
}

/// Watches all launches while it exists.
class Watch {
  public:
    explicit Watch(std::function<void(int device, int64_t units)> watch) {
        emulated_launch_watch() = std::move(watch);
    }
    ~Watch() { emulated_launch_watch() = nullptr; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
};

/// Lets a device fail while it exists.
class DeviceFault {
  public:
    explicit DeviceFault(const char* fault) { ::setenv("HELIORAY_EMULATED_FAULT", fault, 1); }
    ~DeviceFault() { ::unsetenv("HELIORAY_EMULATED_FAULT"); }
    DeviceFault(const DeviceFault&) = delete;
    DeviceFault& operator=(const DeviceFault&) = delete;
};

}  // namespace

TEST_CASE("any number of devices has the sums of one") {
    for (const FeatureScene& f : helioray::test::feature_scenes::all(1, 61, 40)) {
        CAPTURE(f.name);
        const int64_t units = std::ssize(f.scene.units);
        const FlatSums expected = sums_of_one(f, units);
        const std::vector<float> gradient = helioray::test::wavy_gradient(f);
        Derivatives derivatives(f);
        upload(f, {0})->backward(
            f.scene.units.data(), units, gradient.data(), derivatives.scale, derivatives.sums());
        for (const std::vector<int>& devices : {std::vector{2, 0}, {0, 1, 2, 3}}) {
            CAPTURE(device_names(devices));
            const auto field = upload(f, devices);
            CHECK(read_flat(*field, f) == FlatSums(expected.size(), 0));
            std::atomic<int64_t> rays{0};
            CpuOptions options;
            options.rays_done = &rays;
            // In two calls, the sums of the first stay.
            CHECK(trace_units(*field, f, 0, units / 2, options) == units / 2);
            CHECK(trace_units(*field, f, units / 2, units, options) == units - units / 2);
            CHECK(rays == units * rays_of_unit(f));
            CHECK(read_flat(*field, f) == expected);
            Derivatives found(f);
            field->backward(
                f.scene.units.data(), units, gradient.data(), found.scale, found.sums());
            CHECK(found.same_sums(derivatives));
        }
    }
}

TEST_CASE("any number of devices has the derivatives of one on receivers of several surfaces") {
    for (const FeatureScene& f : helioray::test::receiver_scenes::all(1, 61)) {
        if (!helioray::test::has_derivatives(f)) continue;
        CAPTURE(f.name);
        const int64_t units = std::ssize(f.scene.units);
        const std::vector<float> gradient = helioray::test::wavy_gradient(f);
        const auto derivatives = [&](const std::vector<int>& devices) {
            Derivatives found(f);
            upload(f, devices)
                ->backward(f.scene.units.data(), units, gradient.data(), found.scale, found.sums());
            return found;
        };
        const Derivatives one = derivatives({0});
        const Derivatives cpu = helioray::test::derivatives_on_cpu(f, gradient);
        CHECK(helioray::test::largest_difference(cpu, one) < 1e-6);
        CHECK(derivatives({2, 0}).same_sums(one));
        CHECK(derivatives({0, 1, 2, 3}).same_sums(one));
    }
}

TEST_CASE("the check of several devices for machines that have them") {
    const CudaDevices& cuda = helioray::test::emulated_devices();
    std::vector<FeatureScene> scenes{helioray::test::feature_scenes::plain()};
    scenes.front().scene.plan(4, 61);
    int reports = 0;
    helioray::test::check_several_devices(
        helioray::test::emulated_devices(),
        3,
        scenes,
        [&](bool passed, const std::string& what, const std::string& detail) {
            CAPTURE(what, detail);
            CHECK(passed);
            ++reports;
        });
    CHECK(reports == 6);
    double seconds = -1.0;
    const helioray::test::SeveralDevices scene(cuda, scenes.front());
    CHECK(scene.trace({1, 2}, &seconds) == scene.trace({0}));
    CHECK(seconds > 0.0);
}

TEST_CASE("several devices follow the changes of a field") {
    const std::vector<FeatureScene> scenes = helioray::test::feature_scenes::all(1, 61, 40);
    const auto field = upload(scenes.front(), {0, 1, 2});
    for (const FeatureScene& f : scenes) {
        CAPTURE(f.name);
        field->update(f.view(), true);
        field->clear_sums();
        trace_units(*field, f, 0, std::ssize(f.scene.units));
        CHECK(read_flat(*field, f) == sums_of_one(f, std::ssize(f.scene.units)));
    }
}

TEST_CASE("sums of several devices are gathered on the first") {
    const FeatureScene f = many_units();
    const int64_t units = std::ssize(f.scene.units);
    const FlatSums expected = sums_of_one(f, units);
    const auto field = upload(f, {2, 1});
    trace_units(*field, f, 0, units);
    const DeviceIntegers sums = field->sums(flat_layout(f));
    CHECK(sums.device == 2);
    CHECK(FlatSums(sums.data, sums.data + sums.count) == expected);
    CHECK(read_flat(*field, f) == expected);
    trace_units(*field, f, 0, units);
    FlatSums copied(expected.size());
    field->download(field->copy_sums(0, std::ssize(copied)), copied.data());
    for (int64_t& sum : copied) sum /= 2;
    CHECK(copied == expected);
    trace_units(*field, f, 0, units);
    field->write_sums(0, std::ssize(expected), expected.data());
    CHECK(read_flat(*field, f) == expected);
}

TEST_CASE("a slow device gets fewer units") {
    const FeatureScene f = many_units();
    const int64_t units = std::ssize(f.scene.units);
    std::mutex mutex;
    std::condition_variable changed;
    std::map<int, int64_t> traced;
    int64_t slow_chunk = 0;
    // The first launch of device 1 takes until device 0 has begun everything else.
    const Watch watch([&](int device, int64_t count) {
        std::unique_lock lock(mutex);
        traced[device] += count;
        changed.notify_all();
        if (device != 1) return;
        slow_chunk = count;
        if (!changed.wait_for(
                lock, std::chrono::minutes(2), [&] { return traced[0] + slow_chunk == units; }))
            throw std::runtime_error("device 0 did not take the units of the slow device");
    });
    const auto field = upload(f, {0, 1});
    CHECK(trace_units(*field, f, 0, units) == units);
    CHECK(traced[0] + traced[1] == units);
    CHECK(traced[1] == slow_chunk);
    CHECK(slow_chunk <= units / 4);
}

TEST_CASE("a cancelled trace of several devices ends after whole units") {
    const FeatureScene f = many_units();
    const int64_t units = std::ssize(f.scene.units);
    std::atomic<bool> cancel{false};
    std::atomic<int> launches{0};
    std::atomic<int64_t> rays{0};
    CpuOptions options;
    options.cancel = &cancel;
    options.rays_done = &rays;
    const auto field = upload(f, {0, 1, 2});
    int64_t traced = 0;
    {
        const Watch watch([&](int, int64_t) {
            if (++launches == 2) cancel = true;
        });
        traced = trace_units(*field, f, 0, units, options);
    }
    CHECK(traced > 0);
    CHECK(traced < units);
    CHECK(rays == traced * rays_of_unit(f));
    CHECK(read_flat(*field, f) == sums_of_one(f, traced));
    cancel = false;
    CHECK(trace_units(*field, f, traced, units, options) == units - traced);
    CHECK(read_flat(*field, f) == sums_of_one(f, units));
}

TEST_CASE("a device that fails is named, and the others stop") {
    const FeatureScene f = many_units();
    const size_t arrays_before = emulated_memory().count();
    {
        const auto field = upload(f, {0, 1, 3});
        std::atomic<int64_t> rays{0};
        CpuOptions options;
        options.rays_done = &rays;
        const DeviceFault fault("launch:1");
        CHECK_THROWS_WITH(
            trace_units(*field, f, 0, std::ssize(f.scene.units), options),
            ContainsSubstring("cuda:1: CUDA: trace: unspecified launch failure; leave it "
                              "out with device: cuda:0,3"));
        CHECK(rays < std::ssize(f.scene.units) * rays_of_unit(f));
    }
    {
        const DeviceFault fault("memory:3");
        CHECK_THROWS_WITH(upload(f, {0, 3}),
                          ContainsSubstring("cuda:3: CUDA: device memory: out of memory"));
        CHECK_THROWS_WITH(upload(f, {3}),
                          ContainsSubstring("cuda:3: CUDA: device memory: out of memory"));
    }
    CHECK(emulated_memory().count() == arrays_before);
}

TEST_CASE("names of devices") {
    CHECK(device_names({}) == "cpu");
    CHECK(device_names({0}) == "cuda:0");
    CHECK(device_names({0, 2, 10}) == "cuda:0,2,10");
}
