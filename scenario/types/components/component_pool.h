// SPDX-License-Identifier: MIT
// Stores one copy of equal components, which large fields repeat thousands of times.
#pragma once

#include "scenario/types/types.h"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace helioray {

/// Return hashes of components. Equal components have equal hashes; names are not hashed.
std::size_t compute_hash(const Surface& surface);
std::size_t compute_hash(const Kinematics& kinematics);
std::size_t compute_hash(const ActuatorPair& actuators);

/// Pool with one copy of each different component. `Component` is Surface, Kinematics or
/// ActuatorPair.
template <typename Component>
class ComponentPool {
  public:
    using Pointer = std::shared_ptr<const Component>;

    /// Returns the pooled component that equals `component`, or `component` itself if there is none
    /// yet.
    Pointer share(Component component) {
        return share(std::make_shared<const Component>(std::move(component)));
    }
    /// Returns the pooled component that equals a component with an existing owner.
    Pointer share(Pointer component) {
        const std::size_t hash = compute_hash(*component);
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
