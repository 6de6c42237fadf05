// SPDX-License-Identifier: MIT
// Strict reading of launcher variables.
#include "distributed/variables.h"

#include <algorithm>
#include <charconv>

namespace helioray::detail {
namespace {

bool all_digits(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::int64_t> parse_digits(const std::string& text) {
    std::int64_t value = 0;
    if (!all_digits(text)) return std::nullopt;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{}) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::string> VariableReader::text(const std::string& name) {
    auto value = environment_.get(name);
    if (!value) return std::nullopt;
    const auto used = [&](const auto& entry) { return entry.first == name; };
    if (std::none_of(info_.variables.begin(), info_.variables.end(), used))
        info_.variables.emplace_back(name, *value);
    return value;
}

std::string VariableReader::required_text(const std::string& name, const std::string& advice) {
    const auto value = text(name);
    if (!value) throw LaunchError(name, "", "is not set", advice);
    if (value->empty()) throw LaunchError(name, "", "is empty", advice);
    return *value;
}

std::optional<std::int64_t> VariableReader::integer(const std::string& name,
                                                    std::int64_t lowest,
                                                    std::int64_t highest) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    const auto number = parse_digits(*value);
    if (!number)
        throw LaunchError(name, *value, "is not a whole number", "give decimal digits only");
    if (*number < lowest || *number > highest)
        throw LaunchError(
            name,
            *value,
            "is out of range",
            "give a number from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return number;
}

std::int64_t VariableReader::required_integer(const std::string& name,
                                              std::int64_t lowest,
                                              std::int64_t highest,
                                              const std::string& advice) {
    const auto number = integer(name, lowest, highest);
    if (!number) throw LaunchError(name, "", "is not set", advice);
    return *number;
}

std::optional<bool> VariableReader::flag(const std::string& name) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    if (*value == "True" || *value == "true" || *value == "1") return true;
    if (*value == "False" || *value == "false" || *value == "0") return false;
    throw LaunchError(name, *value, "is neither true nor false", "set it to 1 or 0");
}

HostPort parse_host_port(const std::string& text, const std::string& variable) {
    const auto bad = [&](const std::string& reason) {
        return LaunchError(
            variable, text, reason, "give a host name or address, optionally with :port");
    };
    const auto port_of = [&](const std::string& digits) {
        const auto port = parse_digits(digits);
        if (!port || *port < 1 || *port > kMaxPort)
            throw bad("has a port that is not a number from 1 to 65535");
        return static_cast<int>(*port);
    };
    if (text.empty()) throw bad("is empty");
    if (text.find_first_of(" \t\r\n/") != std::string::npos)
        throw bad("is not a host name or address");

    // Brackets always mean an IPv6 address; without them two colons do.
    if (text.front() == '[') {
        const auto end = text.find(']');
        if (end == std::string::npos || end == 1) throw bad("has an unfinished [address]");
        HostPort result{text.substr(1, end - 1), std::nullopt};
        if (end + 1 == text.size()) return result;
        if (text[end + 1] != ':') throw bad("has something other than :port after [address]");
        result.port = port_of(text.substr(end + 2));
        return result;
    }
    const auto colon = text.find(':');
    if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos)
        return {text, std::nullopt};
    if (colon == 0) throw bad("has no host before the colon");
    return {text.substr(0, colon), port_of(text.substr(colon + 1))};
}

StoreAddress parse_store(const std::string& text, const std::string& variable) {
    const std::string tcp = "tcp://", file = "file://";
    const auto bad = [&](const std::string& reason) {
        return LaunchError(variable,
                           text,
                           reason,
                           "give tcp://host:port, or file:///path to a file on a file system that "
                           "all ranks share");
    };
    if (text.rfind(file, 0) == 0) {
        StoreAddress address;
        address.file = text.substr(file.size());
        if (address.file.empty() || address.file.front() != '/' || address.file.back() == '/')
            throw bad("is not the absolute path of a file");
        return address;
    }
    if (text.rfind(tcp, 0) != 0) throw bad("is neither tcp:// nor file://");
    StoreAddress address;
    address.tcp = parse_host_port(text.substr(tcp.size()), variable);
    if (!address.tcp.port) throw bad("has no port");
    return address;
}

}  // namespace helioray::detail
