// SPDX-License-Identifier: MIT
// Expansion of SLURM node lists such as n[01-03,7],login.
#include "distributed/launch/launcher.h"

#include <charconv>

namespace helioray {
namespace {

constexpr std::size_t kMaxNodes = 100'000;

/// Parser of a node list. A name may contain several bracket groups.
class NodeListReader {
  public:
    NodeListReader(const std::string& list, const std::string& variable)
        : list_(list), variable_(variable) {}

    std::vector<std::string> read() {
        std::vector<std::string> nodes;
        do {
            std::vector<std::string> names{""};
            while (position_ < list_.size() && list_[position_] != ',') {
                if (list_[position_] == '[') {
                    names = combine(names, read_group());
                } else if (is_name_character(list_[position_])) {
                    for (auto& name : names) name += list_[position_];
                    ++position_;
                } else {
                    throw error("has an unexpected '" + std::string(1, list_[position_]) + "'");
                }
            }
            if (names.front().empty()) throw error("has an empty name");
            nodes.insert(nodes.end(), names.begin(), names.end());
            if (nodes.size() > kMaxNodes) throw error("names too many nodes");
        } while (skip_comma());
        return nodes;
    }

  private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_name_character(char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
               c == '.' || c == '_';
    }

    /// Skips a comma. Returns true if there was one, so that another name follows.
    bool skip_comma() {
        if (position_ == list_.size() || list_[position_] != ',') return false;
        ++position_;
        return true;
    }

    LaunchError error(const std::string& reason) const {
        return {variable_, list_, reason, "expected something like node[01-04,7],login"};
    }

    std::string read_digits() {
        const auto start = position_;
        while (position_ < list_.size() && is_digit(list_[position_])) ++position_;
        if (start == position_) throw error("has a bracket without numbers");
        return list_.substr(start, position_ - start);
    }

    long number(const std::string& digits) const {
        long value = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (result.ec != std::errc{}) throw error("has a number that is too large");
        return value;
    }

    /// Returns the numbers of a bracket group: "[01-03,7]" gives 01 02 03 7. All numbers of a range
    /// are padded to the width of the first one.
    std::vector<std::string> read_group() {
        std::vector<std::string> group;
        ++position_;
        while (true) {
            const std::string first = read_digits();
            std::string last = first;
            if (position_ < list_.size() && list_[position_] == '-') {
                ++position_;
                last = read_digits();
            }
            const long low = number(first), high = number(last);
            if (high < low) throw error("has a range that runs backwards");
            if (static_cast<std::size_t>(high - low) >= kMaxNodes)
                throw error("names too many nodes");
            for (long value = low; value <= high; ++value) {
                const std::string digits = std::to_string(value);
                const auto padding =
                    first.size() > digits.size() ? first.size() - digits.size() : 0;
                group.push_back(std::string(padding, '0') + digits);
            }
            if (position_ >= list_.size()) throw error("has an unclosed bracket");
            const char next = list_[position_++];
            if (next == ']') return group;
            if (next != ',') throw error("has an unexpected '" + std::string(1, next) + "'");
        }
    }

    std::vector<std::string> combine(const std::vector<std::string>& names,
                                     const std::vector<std::string>& group) const {
        if (names.size() * group.size() > kMaxNodes) throw error("names too many nodes");
        std::vector<std::string> result;
        for (const auto& name : names)
            for (const auto& part : group) result.push_back(name + part);
        return result;
    }

    const std::string& list_;
    const std::string& variable_;
    std::size_t position_ = 0;
};

}  // namespace

std::vector<std::string> expand_node_list(const std::string& list, const std::string& variable) {
    return NodeListReader(list, variable).read();
}

}  // namespace helioray
