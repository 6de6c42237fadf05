// SPDX-License-Identifier: MIT
// Scenes on several devices of one process, compared with the same scenes on one.
#pragma once

#include "kernels/field_on_devices.h"
#include "tests/kernels/derivatives.h"
#include "tests/kernels/feature_scenes.h"

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace helioray::test {

/// Traces one scene on any devices of a process.
class SeveralDevices {
  public:
    /// The scene must outlive this object.
    SeveralDevices(const kernels::CudaDevices& cuda, const FeatureScene& f)
        : cuda_(cuda),
          f_(f),
          layout_{.num_targets = std::ssize(f.scene.targets),
                  .num_heliostats = std::ssize(f.scene.heliostats),
                  .height = f.scene.height,
                  .width = f.scene.width,
                  .per_heliostat = f.per_heliostat,
                  .differences = true} {}

    /// Returns all sums of a trace. seconds: receives the time of the second of two traces.
    std::vector<int64_t> trace(const std::vector<int>& devices, double* seconds = nullptr) const {
        const auto field = kernels::upload_to_devices(cuda_, f_.view(), devices);
        trace_units(*field);
        if (seconds != nullptr) {
            field->clear_sums();
            const auto start = std::chrono::steady_clock::now();
            trace_units(*field);
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
            *seconds = time.count();
        }
        std::vector<int64_t> sums(static_cast<size_t>(layout_.total_size()));
        field->read_sums(0, std::ssize(sums), sums.data());
        return sums;
    }

    Derivatives trace_backward(const std::vector<int>& devices) const {
        const std::vector<float> gradient = wavy_gradient(f_);
        Derivatives derivatives(f_);
        kernels::upload_to_devices(cuda_, f_.view(), devices)
            ->backward(f_.scene.units.data(),
                       std::ssize(f_.scene.units),
                       gradient.data(),
                       derivatives.scale,
                       derivatives.sums());
        return derivatives;
    }

  private:
    void trace_units(kernels::DeviceField& field) const {
        const kernels::WorkUnit& unit = f_.scene.units.front();
        field.trace(f_.scene.units.data(),
                    std::ssize(f_.scene.units),
                    2 * unit.rays_per_block * unit.num_heliostats,
                    layout_,
                    {});
    }

    const kernels::CudaDevices& cuda_;
    const FeatureScene& f_;
    kernels::SumsLayout layout_;
};

using Report = std::function<void(bool passed, const std::string& what, const std::string& detail)>;

/// Reports if every scene has the same sums and derivatives on device 0, on each other one, and on
/// all of them together.
inline void check_several_devices(const kernels::CudaDevices& cuda,
                                  int num_devices,
                                  const std::vector<FeatureScene>& scenes,
                                  const Report& report) {
    std::vector<int> all(static_cast<size_t>(num_devices));
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::vector<int>> choices{all};
    for (int device = 1; device < num_devices; ++device) choices.push_back({device});
    for (const FeatureScene& f : scenes) {
        const SeveralDevices scene(cuda, f);
        const std::vector<int64_t> sums = scene.trace({0});
        const Derivatives derivatives = scene.trace_backward({0});
        for (const std::vector<int>& devices : choices) {
            const std::string name = f.name + ", " + kernels::device_names(devices);
            report(scene.trace(devices) == sums, name, "the same bits as on cuda:0");
            report(scene.trace_backward(devices).same_sums(derivatives),
                   name,
                   "derivatives with the same bits as on cuda:0");
        }
    }
}

}  // namespace helioray::test
