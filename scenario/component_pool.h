// SPDX-License-Identifier: MIT
// Keeps one copy of equal components: large fields repeat theirs thousands of times.
#pragma once

#include "scenario/types.h"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace helioray {

/// Hashes of components. Equal components have equal hashes; names are left to the comparison.
std::size_t hash_of(const Surface& surface);
std::size_t hash_of(const Kinematics& kinematics);
std::size_t hash_of(const ActuatorPair& actuators);

/// One copy of each different component. `Component` is Surface, Kinematics or ActuatorPair.
template <typename Component>
class ComponentPool {
  public:
    using Pointer = std::shared_ptr<const Component>;

    /// Returns the pooled component that equals `component`; `component` itself where there is none
    /// yet.
    Pointer share(Component component) {
        return share(std::make_shared<const Component>(std::move(component)));
    }
    /// The same for a component that has an owner.
    Pointer share(Pointer component) {
        const std::size_t hash = hash_of(*component);
        const auto [begin, end] = pool_.equal_range(hash);
        for (auto it = begin; it != end; ++it) {
            if (*it->second == *component) return it->second;
        }
        return pool_.emplace(hash, std::move(component))->second;
    }

  private:
    std::unordered_multimap<std::size_t, Pointer> pool_;
};

}  // namespace helioray
