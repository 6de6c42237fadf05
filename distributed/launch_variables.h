// SPDX-License-Identifier: MIT
// Launcher variables: their strict reading, and rank, size and store address from those of each
// launcher.
#pragma once

#include "distributed/launcher.h"

#include <cstdint>
#include <optional>
#include <string>

namespace helioray::detail {

/// Reads variables and notes each one it found in LaunchInfo::variables.
class VariableReader {
  public:
    VariableReader(const EnvironmentView& environment, LaunchInfo& info)
        : environment_(environment), info_(info) {}

    bool has(const std::string& name) const { return environment_.has(name); }

    /// Value of a variable that may be absent.
    std::optional<std::string> text(const std::string& name);
    /// Value of a variable that must be there and not empty.
    std::string required_text(const std::string& name, const std::string& advice);
    /// Decimal digits only, within [lowest, highest]; LaunchError otherwise.
    std::optional<std::int64_t> integer(const std::string& name,
                                        std::int64_t lowest,
                                        std::int64_t highest);
    std::int64_t required_integer(const std::string& name,
                                  std::int64_t lowest,
                                  std::int64_t highest,
                                  const std::string& advice);
    /// True/False, true/false or 1/0.
    std::optional<bool> flag(const std::string& name);

  private:
    const EnvironmentView& environment_;
    LaunchInfo& info_;
};

/// An address as MASTER_ADDR gives it: host, host:port, [v6]:port or a bare v6 address.
struct HostPort {
    std::string host;
    std::optional<int> port;
};

/// Throws LaunchError naming `variable`.
HostPort parse_host_port(const std::string& text, const std::string& variable);

/// A store as tcp://host:port or file:///path; the other field stays empty.
struct StoreAddress {
    HostPort tcp;
    std::string file;
};

/// Throws LaunchError naming `variable`.
StoreAddress parse_store(const std::string& text, const std::string& variable);

inline constexpr int kMaxWorldSize = 1'000'000;
inline constexpr int kMaxPort = 65'535;

/// Completes `info` from the variables of info.launcher. Throws LaunchError for variables that are
/// missing, malformed or contradictory: a launcher that was chosen is never taken for a single
/// process.
void read_launch(VariableReader& read, LaunchInfo& info);

/// The store of `info` at an address.
void set_store(LaunchInfo& info, const StoreAddress& address);

}  // namespace helioray::detail
