// SPDX-License-Identifier: MIT
// Fields in device memory: sums that stay there and are added to, and fields that change.
#include "kernels/cuda_devices.h"
#include "tests/emulated_cuda/cuda_runtime.h"
#include "tests/emulated_cuda/emulated_devices.h"
#include "tests/kernels/derivatives.h"
#include "tests/kernels/feature_scenes.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace helioray::kernels;
using helioray::test::Derivatives;
using helioray::test::emulated_devices;
using helioray::test::FeatureScene;
using helioray::test::Sums;

namespace {

SumsLayout layout_of(const FeatureScene& f) {
    const auto& scene = f.scene;
    return {.num_targets = std::ssize(scene.targets),
            .num_heliostats = std::ssize(scene.heliostats),
            .height = scene.height,
            .width = scene.width,
            .per_heliostat = f.per_heliostat,
            .differences = true};
}

Sums read(DeviceField& field, const FeatureScene& f) {
    const SumsLayout layout = layout_of(f);
    std::vector<int64_t> all(static_cast<size_t>(layout.total_size()));
    field.read_sums(0, layout.total_size(), all.data());
    const SumsView view = layout.view(all.data());
    Sums sums = f.scene.zero_sums(f.per_heliostat);
    const auto copy = [](const int64_t* from, std::vector<int64_t>& to) {
        std::copy_n(from, to.size(), to.begin());
    };
    copy(view.flux, sums.flux);
    copy(view.flux_square, sums.flux_square);
    copy(view.flux_difference, sums.flux_difference);
    copy(view.energy, sums.energy);
    copy(view.power_square, sums.power_square);
    if (f.per_heliostat) copy(view.heliostat_flux, sums.heliostat_flux);
    return sums;
}

void trace(DeviceField& field, const FeatureScene& f, size_t begin, size_t end) {
    const WorkUnit& first = f.scene.units[begin];
    field.trace(f.scene.units.data() + begin,
                static_cast<int64_t>(end - begin),
                2 * first.rays_per_block * first.num_heliostats,
                layout_of(f),
                {});
}

}  // namespace

TEST_CASE("sums stay on the device until they are read") {
    for (const FeatureScene& f : helioray::test::feature_scenes::all(1, 301, 100)) {
        CAPTURE(f.name);
        const Sums wanted = f.trace_on_cpu();
        const auto field = emulated_devices().upload(f.view(), 0, nullptr);
        CHECK((read(*field, f) == f.scene.zero_sums(f.per_heliostat)));
        // In two parts, the sums of the first stay.
        const size_t half = f.scene.units.size() / 2;
        if (half > 0) trace(*field, f, 0, half);
        trace(*field, f, half, f.scene.units.size());
        CHECK((read(*field, f) == wanted));
        field->clear_sums();
        CHECK((read(*field, f) == f.scene.zero_sums(f.per_heliostat)));
        trace(*field, f, 0, f.scene.units.size());
        CHECK((read(*field, f) == wanted));
    }
}

TEST_CASE("a field on the device becomes another one") {
    const std::vector<FeatureScene> scenes = helioray::test::feature_scenes::all(1, 301, 100);
    const auto field = emulated_devices().upload(scenes.front().view(), 0, nullptr);
    for (const FeatureScene& f : scenes) {
        CAPTURE(f.name);
        field->update(f.view(), true);
        field->clear_sums();
        trace(*field, f, 0, f.scene.units.size());
        CHECK((read(*field, f) == f.trace_on_cpu()));
    }
}

TEST_CASE("a field belongs to the device of its upload") {
    FeatureScene f = helioray::test::feature_scenes::plain();
    f.scene.plan(1, 301);
    const Sums wanted = f.trace_on_cpu();
    const std::vector<float> gradient = helioray::test::wavy_gradient(f);
    const size_t arrays_before = emulated_memory().count();
    std::unique_ptr<DeviceField> field = emulated_devices().upload(f.view(), 1, nullptr);
    int device_before = -1;
    cudaGetDevice(&device_before);
    CHECK(device_before == 0);
    // Another thread begins with device 0.
    std::string error;
    Sums found;
    Derivatives derivatives(f);
    int device_after = -1;
    std::thread([&] {
        try {
            field->update(f.view(), true);
            trace(*field, f, 0, f.scene.units.size());
            found = read(*field, f);
            const DeviceIntegers sums = field->sums(layout_of(f));
            CHECK(sums.device == 1);
            std::vector<int64_t> copied(static_cast<size_t>(sums.count));
            field->download(field->copy_sums(0, sums.count), copied.data());
            field->write_sums(0, sums.count, copied.data());
            field->backward(f.scene.units.data(),
                            std::ssize(f.scene.units),
                            gradient.data(),
                            derivatives.scale,
                            derivatives.sums());
            field->clear_sums();
            field.reset();
        } catch (const std::exception& failure) {
            error = failure.what();
        }
        cudaGetDevice(&device_after);
    }).join();
    CHECK(error.empty());
    CHECK((found == wanted));
    CHECK(derivatives.heliostats[kTranslationGradient] != 0);
    CHECK(device_after == 0);
    CHECK(emulated_memory().count() == arrays_before);
}
