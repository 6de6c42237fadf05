// SPDX-License-Identifier: MIT
// A field in device memory follows the changes of a prepared field: the same sums as on the CPU.
#include "kernels/core/sums_layout.h"
#include "kernels/cuda_devices.h"
#include "kernels/trace_flux.h"
#include "tests/emulated_cuda/emulated_devices.h"
#include "tests/raytracer/tracing/physical/field_changes.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <iterator>

using namespace helioray;
using namespace helioray::physical;

namespace {

std::vector<int64_t> traced_on_cpu(const Field& field) {
    std::vector<int64_t> sums(static_cast<size_t>(field.sums_layout().total_size()), 0);
    const auto& units = field.plan().units;
    kernels::trace_flux_cpu(
        field.view(), units.data(), std::ssize(units), field.sums_layout().view(sums.data()), {});
    return sums;
}

/// Derivatives of a loss as the device finds them: by heliostat, then all floats.
std::vector<int64_t> derivatives(kernels::DeviceField& device, const Field& field) {
    const kernels::FieldView view = field.view();
    const auto& units = field.plan().units;
    std::vector<float> gradient(static_cast<size_t>(view.num_targets) *
                                static_cast<size_t>(view.bitmap_width * view.bitmap_height));
    for (size_t p = 0; p < gradient.size(); ++p)
        gradient[p] = static_cast<float>(p % 17) / 17.0f - 0.4f;
    const kernels::GradientScale scale =
        kernels::gradient_scale(view, units.data(), std::ssize(units), 1.0f);
    const auto num_numbers =
        static_cast<size_t>(view.num_heliostats) * kernels::kNumHeliostatGradients;
    std::vector<int64_t> sums(num_numbers + static_cast<size_t>(view.sizes.floats), 0);
    device.backward(units.data(),
                    std::ssize(units),
                    gradient.data(),
                    scale,
                    {sums.data(), sums.data() + num_numbers});
    return sums;
}

}  // namespace

TEST_CASE("a field on a device follows changes") {
    std::mt19937 random(7);
    validation::Scene scene = test::dense_scene(random);
    scene.config.tracing.rays_per_heliostat = 64;
    PreparedField prepared(scene.config, scene.scenario);
    const Field& field = prepared.field();
    const auto device = test::emulated_devices().upload(field.view(), 0, nullptr);
    test::Changes changes(scene, prepared, random);
    for (int update = 0; update < 4; ++update) {
        changes.make_one();
        prepared.update();
        device->update(field.view(), true);
        device->clear_sums();
        const auto& units = field.plan().units;
        const kernels::SumsLayout layout = field.sums_layout();
        device->trace(units.data(), std::ssize(units), Plan::rays(units.front()), layout, {});
        std::vector<int64_t> sums(static_cast<size_t>(layout.total_size()));
        device->read_sums(0, layout.total_size(), sums.data());
        CAPTURE(update);
        CHECK(sums == traced_on_cpu(field));
        // A device that gets the field as it is now finds the same derivatives.
        const auto anew = test::emulated_devices().upload(field.view(), 0, nullptr);
        const std::vector<int64_t> expected = derivatives(*anew, field);
        CHECK(derivatives(*device, field) == expected);
        CHECK(std::any_of(expected.begin(), expected.end(), [](int64_t d) { return d != 0; }));
    }
}
