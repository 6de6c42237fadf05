// SPDX-License-Identifier: MIT
// Interface of a store to the work that rank 0 hands out to the other ranks.
#pragma once

#include <string>
#include <string_view>

namespace helioray::detail {

/// Rank 0's service for ranks that may come and go. A store with such a service does not end the
/// run when another rank than 0 is lost. The thread of the store calls both functions, so they must
/// return quickly.
class WorkService {
  public:
    virtual ~WorkService() = default;
    /// Answers a request of an authenticated connection of `rank`. Throws TransportError for a
    /// malformed request, which costs that connection.
    virtual std::string serve(int rank, std::string_view request) = 0;
    /// Called once when a connected rank is lost. `cause` names the rank.
    virtual void lose(int rank, const std::string& cause) = 0;
};

}  // namespace helioray::detail
