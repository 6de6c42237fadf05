// SPDX-License-Identifier: MIT
// Reads the environment variables of each launcher: rank, number of ranks and address of the store.
// Every value is checked.
#pragma once

#include "distributed/launch/launcher.h"

#include <cstdint>
#include <optional>
#include <string>

namespace helioray::detail {

/// Reads environment variables and adds those that are set to LaunchInfo::variables.
class VariableReader {
  public:
    VariableReader(const EnvironmentView& environment, LaunchInfo& info)
        : environment_(environment), info_(info) {}

    bool has(const std::string& name) const { return environment_.has(name); }

    /// Returns the value of an optional variable.
    std::optional<std::string> text(const std::string& name);
    /// Returns the value of a variable. Throws LaunchError if it is not set or empty.
    std::string required_text(const std::string& name, const std::string& advice);
    /// Returns the value of an optional integer variable. Throws LaunchError unless it consists of
    /// decimal digits and is in [lowest, highest].
    std::optional<std::int64_t> integer(const std::string& name,
                                        std::int64_t lowest,
                                        std::int64_t highest);
    /// Returns the value of an integer variable. Throws LaunchError as integer() does, and if it is
    /// not set.
    std::int64_t required_integer(const std::string& name,
                                  std::int64_t lowest,
                                  std::int64_t highest,
                                  const std::string& advice);
    /// Returns the value of an optional flag: True/False, true/false or 1/0. Throws LaunchError for
    /// other values.
    std::optional<bool> flag(const std::string& name);

  private:
    const EnvironmentView& environment_;
    LaunchInfo& info_;
};

/// An address in the format of MASTER_ADDR: host, host:port, [v6]:port or a bare v6 address.
struct HostPort {
    std::string host;
    std::optional<int> port;
};

/// Parses an address. Throws LaunchError for `variable` if it is malformed.
HostPort parse_host_port(const std::string& text, const std::string& variable);

/// The location of a store: tcp://host:port or file:///path. The other field is empty.
struct StoreAddress {
    HostPort tcp;
    std::string file;
};

/// Parses the location of a store. Throws LaunchError for `variable` if it is malformed.
StoreAddress parse_store(const std::string& text, const std::string& variable);

inline constexpr int kMaxWorldSize = 1'000'000;
inline constexpr int kMaxPort = 65'535;

/// Completes `info` with the variables of info.launcher. Throws LaunchError for variables that are
/// missing, malformed or contradictory; it never falls back to a single process.
void read_launch(VariableReader& read, LaunchInfo& info);

/// Sets the location of the store in `info`.
void set_store(LaunchInfo& info, const StoreAddress& address);

}  // namespace helioray::detail
