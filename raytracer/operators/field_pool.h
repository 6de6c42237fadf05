// SPDX-License-Identifier: MIT
// Prepared fields between calls of the functional operators.
#pragma once

#include "raytracer/operators/tensor_field.h"
#include "raytracer/operators/trace_flux.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace helioray::operators {

/// Fields that no call uses at the moment.
///
/// A functional call has only tensors to say what it is about, and its backward may be called from
/// another thread, inside torch.func or a compiled graph, where nothing can be handed from one to
/// the other. So a call takes the idle field that is most alike, tells it what is different, and
/// puts it back. No result depends on which one it gets: content decides what is made anew. Calls
/// on several threads have a field each. Users who want to hold a field themselves, and for whom it
/// shall be freed when they say, have the class helioray.Field.
class FieldPool {
  public:
    /// Of the process.
    static FieldPool& instance();

    /// A field brought up to date with these inputs, which are on the CPU and checked but for the
    /// values of control points. Throws InputError and c10::Error for what cannot be traced.
    std::unique_ptr<TensorField> take(const FluxInputs& inputs, const FluxSettings& settings);

    /// Not after a failure. Drops those that were used longest ago where there are many.
    void put_back(std::unique_ptr<TensorField> field,
                  const FluxInputs& inputs,
                  const FluxSettings& settings);

  private:
    /// What fields must have in common to become each other by being told tensors.
    struct Kind {
        int64_t num_heliostats = 0;
        std::vector<double> targets;
        std::array<int64_t, 2> bitmap{};
        int64_t rays = 0;
        std::string sun_shape;
        bool shading = false;
        bool blocking = false;
        bool operator==(const Kind&) const = default;
    };
    struct Idle {
        Kind kind;
        int64_t num_values = 0;  ///< of control points
        std::unique_ptr<TensorField> field;
    };

    static Kind kind_of(const FluxInputs& inputs, const FluxSettings& settings);
    std::unique_ptr<TensorField> best_of(const Kind& kind, const MirrorPoints& points);
    std::optional<Mirrors> known_mirrors(size_t num_heliostats, const MirrorPoints& points);

    std::mutex mutex_;
    std::deque<Idle> idle_;  ///< the one used last in front
};

/// function(field) with a field for these inputs.
template <typename Function>
auto with_field(const FluxInputs& inputs, const FluxSettings& settings, Function function) {
    FieldPool& pool = FieldPool::instance();
    std::unique_ptr<TensorField> field = pool.take(inputs, settings);
    auto result = function(*field);
    pool.put_back(std::move(field), inputs, settings);
    return result;
}

}  // namespace helioray::operators
