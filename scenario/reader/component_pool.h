// SPDX-License-Identifier: MIT
// Keeps one copy of equal components: large fields repeat theirs thousands of times.
#pragma once

#include "scenario/types.h"

#include <cstddef>
#include <memory>
#include <unordered_map>

namespace helioray {

std::size_t hash_of(const Surface& surface);
std::size_t hash_of(const Kinematics& kinematics);
std::size_t hash_of(const ActuatorPair& actuators);

/// `Component` is Surface, Kinematics or ActuatorPair.
template <typename Component>
class ComponentPool {
  public:
    /// The pooled component that equals `component`; `component` itself where there is none yet.
    std::shared_ptr<const Component> share(Component component) {
        const std::size_t hash = hash_of(component);
        const auto [begin, end] = pool_.equal_range(hash);
        for (auto it = begin; it != end; ++it) {
            if (*it->second == component) return it->second;
        }
        return pool_.emplace(hash, std::make_shared<const Component>(std::move(component)))->second;
    }

  private:
    std::unordered_multimap<std::size_t, std::shared_ptr<const Component>> pool_;
};

}  // namespace helioray
