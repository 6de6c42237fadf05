// SPDX-License-Identifier: MIT
// Derivatives of a scene's flux, to compare one backend's backward kernel with another's.
#pragma once

#include "kernels/core/sums_layout.h"
#include "kernels/trace_flux.h"
#include "tests/kernels/feature_scenes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace helioray::test {

/// Sums of a backward pass with their storage.
struct Derivatives {
    kernels::GradientScale scale;
    std::vector<int64_t> heliostats, floats;

    explicit Derivatives(const FeatureScene& f)
        : scale(kernels::gradient_scale(
              f.view(), f.scene.units.data(), static_cast<int64_t>(f.scene.units.size()), 1.0f)),
          heliostats(f.scene.heliostats.size() * kernels::kNumHeliostatGradients),
          floats(f.scene.floats.size()) {}
    kernels::GradientSums sums() { return {heliostats.data(), floats.data()}; }
    bool same_sums(const Derivatives& other) const {
        return heliostats == other.heliostats && floats == other.floats;
    }
};

/// Returns true if light in the scene has derivatives.
inline bool has_derivatives(const FeatureScene& f) {
    return f.scene.meshes.empty();
}

/// Gradient of a loss that changes over the maps.
inline std::vector<float> wavy_gradient(const FeatureScene& f) {
    const size_t num_incident = f.scene.reflects ? f.scene.surfaces.size() : 0;
    std::vector<float> gradient((f.scene.targets.size() + num_incident) *
                                static_cast<size_t>(f.scene.width * f.scene.height));
    for (size_t i = 0; i < gradient.size(); ++i)
        gradient[i] = std::sin(0.01f * static_cast<float>(i));
    return gradient;
}

/// Returns the part of a gradient for surfaces of receivers, as the CUDA kernel takes it.
inline std::vector<float> surface_gradient(const FeatureScene& f,
                                           const std::vector<float>& gradient) {
    return kernels::gather_maps(
        kernels::surface_maps(f.view()), gradient.data(), int64_t{f.scene.width} * f.scene.height);
}

inline Derivatives derivatives_on_cpu(const FeatureScene& f,
                                      const std::vector<float>& gradient,
                                      int threads = 1) {
    Derivatives derivatives(f);
    kernels::CpuOptions options;
    options.num_threads = threads;
    kernels::trace_flux_backward_cpu(f.view(),
                                     f.scene.units.data(),
                                     static_cast<int64_t>(f.scene.units.size()),
                                     gradient.data(),
                                     derivatives.scale,
                                     derivatives.sums(),
                                     options);
    return derivatives;
}

/// Largest difference of two lists of sums, relative to the largest of them; of entries
/// [first, last) of every `stride`.
inline double difference(const std::vector<int64_t>& a,
                         const std::vector<int64_t>& b,
                         size_t first,
                         size_t last,
                         size_t stride) {
    double largest = 0.0, apart = 0.0;
    for (size_t i = 0; i < a.size(); ++i) {
        if (i % stride < first || i % stride >= last) continue;
        largest = std::max(largest, std::abs(static_cast<double>(a[i])));
        apart = std::max(apart, std::abs(static_cast<double>(a[i] - b[i])));
    }
    return largest > 0.0 ? apart / largest : apart;
}

/// Sums of the same bundles' derivatives, rounded at other places, differ by little; by kind,
/// because single ones may cancel to nothing.
inline double largest_difference(const Derivatives& a, const Derivatives& b) {
    constexpr size_t kKinds[] = {kernels::kRotationGradient,
                                 kernels::kTranslationGradient,
                                 kernels::kSunDirectionGradient,
                                 kernels::kSunWidthGradient,
                                 kernels::kSlopeWidthGradient,
                                 kernels::kSpecularityWidthGradient,
                                 kernels::kValueGradient,
                                 kernels::kNumHeliostatGradients};
    double largest = difference(a.floats, b.floats, 0, 1, 1);
    for (size_t k = 0; k + 1 < std::size(kKinds); ++k) {
        largest = std::max(largest,
                           difference(a.heliostats,
                                      b.heliostats,
                                      kKinds[k],
                                      kKinds[k + 1],
                                      kernels::kNumHeliostatGradients));
    }
    return largest;
}

}  // namespace helioray::test
