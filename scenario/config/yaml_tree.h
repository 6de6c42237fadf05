// SPDX-License-Identifier: MIT
// A parsed YAML document in which every key and value knows where it was written.
#pragma once

#include "scenario/files/error.h"
#include "scenario/run_config.h"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace helioray {

struct YamlEntry;

/// One value. Duplicate keys of a map are kept, so that they can be reported.
struct YamlNode {
    enum class Kind { null, scalar, sequence, map };
    Kind kind = Kind::null;
    std::string text;     ///< scalar only
    bool quoted = false;  ///< scalar in quotes
    ConfigLocation at;
    std::vector<YamlNode> items;     ///< sequence only
    std::vector<YamlEntry> entries;  ///< map only, in the order of the file

    /// Value of a key (the first one); null pointer where there is none.
    const YamlNode* find(const std::string& key) const;
    YamlNode* find(const std::string& key);

    /// Removes all entries of a key. Only this function may remove entries.
    void remove(const std::string& key);
    /// Makes find() fast for maps of many entries. Values may be changed and entries added
    /// afterwards.
    void index_entries();

  private:
    /// Place of the first entry of each key at the time of index_entries(); null: not indexed.
    std::shared_ptr<const std::unordered_map<std::string, size_t>> index_;
    size_t num_indexed_ = 0;
};

struct YamlEntry {
    std::string key;
    ConfigLocation at;
    YamlNode value;
};

/// A quoted scalar.
YamlNode make_scalar(const std::string& text, const ConfigLocation& at);

/// Parses one document. `origin` is what places refer to: a file name (places get line and column),
/// or a command line option when `is_option` (places are the option alone). An empty document is a
/// null node. Throws InputError for text that is not YAML, several documents, keys that are not
/// words, anchors that contain themselves.
YamlNode parse_yaml(const std::string& text, const std::string& origin, bool is_option = false);

/// The tree as YAML text, ending in a newline.
std::string emit_yaml(const YamlNode& root);

/// "file:line:column: key.path", "file: key.path" or "--option key.path"; "--output" and its like
/// stand alone.
std::string where(const ConfigLocation& at, const std::string& path);

}  // namespace helioray
