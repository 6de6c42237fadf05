// SPDX-License-Identifier: MIT
// A parsed YAML document with the position of every key and value.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/run_config.h"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace helioray {

struct YamlEntry;

/// One value. Duplicate keys of a map stay in the tree, so that they can be reported.
struct YamlNode {
    enum class Kind { null, scalar, sequence, map };
    Kind kind = Kind::null;
    std::string text;     ///< text of a scalar
    bool quoted = false;  ///< true for a scalar in quotes
    ConfigLocation at;
    std::vector<YamlNode> items;     ///< items of a sequence
    std::vector<YamlEntry> entries;  ///< entries of a map, in the order of the file

    /// Returns the value of a key (of its first entry), or a null pointer if there is none.
    const YamlNode* find(const std::string& key) const;
    YamlNode* find(const std::string& key);

    /// Removes all entries of a key. Only this function may remove entries.
    void remove(const std::string& key);
    /// Makes find() fast for maps of many entries. Values may be changed and entries added
    /// afterwards.
    void index_entries();

  private:
    /// Index of the first entry of each key when index_entries() was called; null if not indexed.
    std::shared_ptr<const std::unordered_map<std::string, size_t>> index_;
    size_t num_indexed_ = 0;
};

struct YamlEntry {
    std::string key;
    ConfigLocation at;
    YamlNode value;
};

/// Returns a quoted scalar.
YamlNode make_scalar(const std::string& text, const ConfigLocation& at);

/// Parses one document. `origin` appears in places: a file name (places get line and column), or a
/// command line option if `is_option` (places are the option alone). An empty document is a null
/// node. Throws InputError for text that is not YAML, several documents, keys that are not words,
/// and anchors that contain themselves.
YamlNode parse_yaml(const std::string& text, const std::string& origin, bool is_option = false);

/// Returns the tree as YAML text that ends with a newline.
std::string emit_yaml(const YamlNode& root);

}  // namespace helioray
