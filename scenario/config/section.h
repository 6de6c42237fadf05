// SPDX-License-Identifier: MIT
// Typed access to one map of the configuration; every wrong value becomes a problem that says where
// and what.
#pragma once

#include "scenario/config/yaml_tree.h"
#include "scenario/error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Admissible values of a number, and why there are no others.
struct Range {
    double low = 0.0;
    double high = 0.0;
    bool open_low = false;   ///< low itself is refused
    bool open_high = false;  ///< high itself is refused
    std::string why;

    bool contains(double value) const;
    std::string text() const;  ///< "from 0 to 1", "above 0 and below 1"
};

/// Finite or not, but a whole text that is a number ("1e6", "-.5", ".inf"); nothing otherwise.
std::optional<double> parse_number(const std::string& text);

/// A map, or its absence. Getters return nothing both for an absent key and for a wrong value (then
/// with a problem); has() tells the two apart. Problems go to the list given at construction, which
/// must outlive the section.
class Section {
  public:
    Section(const YamlNode* map,
            std::string path,
            ConfigLocation at,
            std::vector<Problem>& problems)
        : map_(map), path_(std::move(path)), at_(std::move(at)), problems_(&problems) {}

    bool has(const std::string& key) const { return find(key) != nullptr; }
    const YamlNode* find(const std::string& key) const { return map_ ? map_->find(key) : nullptr; }
    std::vector<std::string> keys() const;

    /// The map under a key; an absent or empty one reads as a section without keys.
    Section section(const std::string& key) const;
    /// The maps of a list, with paths "key[0]", "key[1]", ...; none where it is absent or wrong.
    std::vector<Section> sections(const std::string& key) const;

    std::optional<double> number(const std::string& key, const Range& range) const;
    std::optional<std::vector<double>> numbers(const std::string& key, size_t count) const;
    /// From 1 to `most` numbers.
    std::optional<std::vector<double>> numbers_up_to(const std::string& key, size_t most) const;
    /// A list of pairs of numbers; any number of them.
    std::optional<std::vector<std::array<double, 2>>> pairs(const std::string& key) const;
    std::optional<int64_t> integer(const std::string& key, int64_t low, int64_t high) const;
    std::optional<std::vector<int64_t>> integers(const std::string& key,
                                                 size_t count,
                                                 int64_t low,
                                                 int64_t high) const;
    /// A whole number from 0 to 2^64 - 1.
    std::optional<uint64_t> natural(const std::string& key) const;
    std::optional<bool> boolean(const std::string& key) const;
    /// Any text that is not empty.
    std::optional<std::string> text(const std::string& key) const;
    std::optional<std::vector<std::string>> texts(const std::string& key) const;

    /// One of several words.
    template <typename T>
    std::optional<T> choice(const std::string& key,
                            const std::vector<std::pair<std::string, T>>& choices) const {
        std::vector<std::string> words;
        for (const auto& [word, value] : choices) words.push_back(word);
        const auto index = choice_index(key, words);
        if (!index) return std::nullopt;
        return choices[*index].second;
    }

    /// "file:line:column: path.key" of the value; the section's own place where the key is absent;
    /// for an empty key the place of the section itself.
    std::string place(const std::string& key) const;
    /// Adds a problem at a key of this section.
    void fail(const std::string& key,
              const std::string& what,
              const std::string& why,
              const std::string& advice) const;
    /// The same at an item of a key's list.
    void fail_item(const std::string& key,
                   size_t item,
                   const std::string& what,
                   const std::string& why,
                   const std::string& advice) const;
    std::string path_of(const std::string& key) const;
    std::vector<Problem>& problems() const { return *problems_; }

  private:
    std::optional<size_t> choice_index(const std::string& key,
                                       const std::vector<std::string>& words) const;
    /// The scalar under a key, or nothing (with a problem when the value has another kind).
    const YamlNode* scalar(const std::string& key, const std::string& expected) const;
    /// The `count` scalars of a list (any number for 0), or nothing.
    const YamlNode* list(const std::string& key, size_t count, const std::string& expected) const;
    std::optional<double> finite(const YamlNode& node, const std::string& path) const;
    std::optional<int64_t> whole(const YamlNode& node,
                                 const std::string& path,
                                 int64_t low,
                                 int64_t high) const;
    void fail_at(const YamlNode& node,
                 const std::string& path,
                 const std::string& what,
                 const std::string& why,
                 const std::string& advice) const;

    const YamlNode* map_;
    std::string path_;
    ConfigLocation at_;
    std::vector<Problem>* problems_;
};

/// Replaces a default by a value that was given.
template <typename T, typename U>
void assign(T& target, std::optional<U> value) {
    if (value) target = std::move(*value);
}

}  // namespace helioray
