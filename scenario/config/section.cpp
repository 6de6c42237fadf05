// SPDX-License-Identifier: MIT
// Places, lists and words of a section.
#include "scenario/config/section.h"

#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace helioray {

namespace {

std::string kind_name(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return "nothing";
        case YamlNode::Kind::scalar:
            return "'" + node.text + "'";
        case YamlNode::Kind::sequence:
            return "a list";
        case YamlNode::Kind::map:
            return "a map";
    }
    return "";
}

}  // namespace

std::vector<std::string> Section::keys() const {
    std::vector<std::string> names;
    if (!map_) return names;
    std::set<std::string> seen;
    for (const YamlEntry& entry : map_->entries) {
        if (seen.insert(entry.key).second) names.push_back(entry.key);
    }
    return names;
}

std::string Section::key_path(const std::string& key) const {
    if (key.empty()) return path_;
    return path_.empty() ? key : path_ + "." + key;
}

std::string Section::key_pattern(const std::string& key) const {
    // This searches the table instead of the list of valid keys, which would be built again for
    // each of thousands of heliostats.
    std::string any_name = (pattern_.empty() ? "" : pattern_ + ".") + "<name>";
    const bool takes_any = std::any_of(table_->begin(), table_->end(), [&](const KeyInfo& info) {
        return info.path.starts_with(any_name);
    });
    if (takes_any) return any_name;
    return pattern_.empty() ? key : pattern_ + "." + key;
}

const KeyInfo& Section::declaration(const std::string& key) const {
    return find_declaration(key_pattern(key), *table_);
}

std::string Section::place(const std::string& key) const {
    const YamlNode* node = find(key);
    return where(node ? node->at : at_, key_path(key));
}

void Section::fail(const std::string& key,
                   const std::string& what,
                   const std::string& why,
                   const std::string& advice) const {
    problems_->push_back({place(key), what, why, advice});
}

void Section::fail_item(const std::string& key,
                        size_t item,
                        const std::string& what,
                        const std::string& why,
                        const std::string& advice) const {
    const YamlNode* node = find(key);
    if (!node || item >= node->items.size()) return fail(key, what, why, advice);
    fail_at(node->items[item], fmt::format("{}[{}]", key_path(key), item), what, why, advice);
}

void Section::fail_at(const YamlNode& node,
                      const std::string& path,
                      const std::string& what,
                      const std::string& why,
                      const std::string& advice) const {
    problems_->push_back({where(node.at, path), what, why, advice});
}

Section Section::section(const std::string& key) const {
    const YamlNode* node = find(key);
    Section section(nullptr, key_path(key), key_pattern(key), *this);
    if (!node) return section;
    section.at_ = node->at;
    if (node->kind == YamlNode::Kind::map) {
        section.map_ = node;
    } else if (node->kind != YamlNode::Kind::null) {
        fail(key,
             fmt::format("expected a map of keys, found {}", kind_name(*node)),
             "",
             "write 'key: value' lines, indented, below it");
    }
    return section;
}

std::vector<Section> Section::sections(const std::string& key) const {
    std::vector<Section> found;
    const YamlNode* node = find(key);
    if (!node || node->kind == YamlNode::Kind::null) return found;
    if (node->kind != YamlNode::Kind::sequence) {
        fail(key,
             fmt::format("expected a list of maps, found {}", kind_name(*node)),
             "",
             "begin each entry with '- '");
        return found;
    }
    for (size_t i = 0; i < node->items.size(); ++i) {
        const YamlNode& item = node->items[i];
        const std::string path = fmt::format("{}[{}]", key_path(key), i);
        if (item.kind == YamlNode::Kind::map) {
            found.push_back(Section(&item, path, key_pattern(key) + "[]", *this));
        } else {
            fail_at(item,
                    path,
                    fmt::format("expected a map of keys, found {}", kind_name(item)),
                    "",
                    "write {key: value, ...}");
        }
    }
    return found;
}

const YamlNode* Section::scalar(const std::string& key, const std::string& expected) const {
    const YamlNode* node = find(key);
    if (!node || node->kind == YamlNode::Kind::scalar) return node;
    if (node->kind == YamlNode::Kind::null) {
        fail(key, "has no value", "expected " + expected, "give a value or remove the key");
    } else {
        fail(key, fmt::format("expected {}, found {}", expected, kind_name(*node)), "", "");
    }
    return nullptr;
}

const YamlNode* Section::list(const std::string& key,
                              size_t count,
                              const std::string& expected) const {
    const YamlNode* node = find(key);
    if (!node) return nullptr;
    if (node->kind != YamlNode::Kind::sequence) {
        fail(key,
             fmt::format("expected {}, found {}", expected, kind_name(*node)),
             "",
             "write a list in brackets: [a, b]");
        return nullptr;
    }
    if (count != 0 && node->items.size() != count) {
        fail(key,
             fmt::format("expected {}, found a list of {}", expected, node->items.size()),
             "",
             fmt::format("give {} values", count));
        return nullptr;
    }
    for (size_t i = 0; i < node->items.size(); ++i) {
        const YamlNode& item = node->items[i];
        if (item.kind == YamlNode::Kind::scalar) continue;
        fail_at(item,
                fmt::format("{}[{}]", key_path(key), i),
                fmt::format("expected {}, found {} in it", expected, kind_name(item)),
                "",
                "");
        return nullptr;
    }
    return node;
}

std::optional<std::string> Section::text(const std::string& key) const {
    const YamlNode* node = scalar(key, "a text");
    if (!node) return std::nullopt;
    if (node->text.empty()) {
        fail(key, "is an empty text", "", "give a value or remove the key");
        return std::nullopt;
    }
    return node->text;
}

std::optional<std::vector<std::string>> Section::texts(const std::string& key) const {
    const YamlNode* node = list(key, 0, "a list of names");
    if (!node) return std::nullopt;
    std::vector<std::string> values;
    for (const YamlNode& item : node->items) values.push_back(item.text);
    return values;
}

std::optional<bool> Section::boolean(const std::string& key) const {
    const YamlNode* node = scalar(key, "true or false");
    if (!node) return std::nullopt;
    if (node->text == "true" || node->text == "True" || node->text == "TRUE") return true;
    if (node->text == "false" || node->text == "False" || node->text == "FALSE") return false;
    fail(key, fmt::format("'{}' is neither true nor false", node->text), "", "write true or false");
    return std::nullopt;
}

void Section::fail_missing_choice(const std::string& key,
                                  const std::vector<std::string>& words,
                                  const std::string& why) const {
    const std::vector<std::string> first(words.begin(), words.end() - 1);
    fail(key,
         "is missing",
         why,
         fmt::format("choose {} or {}", fmt::join(first, ", "), words.back()));
}

bool Section::require(const std::string& key, const std::string& why) const {
    if (has(key)) return true;
    fail(key,
         "is missing",
         why,
         fmt::format("add for example {}: {}", key, declaration(key).example));
    return false;
}

void Section::refuse_other_keys(const std::string& kind_key,
                                const std::vector<std::string>& taken) const {
    const std::string& kind = find(kind_key)->text;
    const std::vector<std::string> valid = valid_keys(pattern_, *table_);
    for (const std::string& key : keys()) {
        const bool is_known = std::find(valid.begin(), valid.end(), key) != valid.end();
        const bool is_taken = std::find(taken.begin(), taken.end(), key) != taken.end();
        if (key == kind_key || is_taken || !is_known) continue;
        fail(key,
             fmt::format("does not belong to {} {}", kind_key, kind),
             "it would be ignored",
             taken.empty() ? fmt::format("remove it; {} takes no parameter", kind)
                           : fmt::format("{} takes {}", kind, fmt::join(taken, ", ")));
    }
}

std::optional<size_t> Section::choice_index(const std::string& key,
                                            const std::vector<std::string>& words) const {
    const std::string expected = fmt::format("one of {}", fmt::join(words, ", "));
    const YamlNode* node = scalar(key, expected);
    if (!node) return std::nullopt;
    const auto it = std::find(words.begin(), words.end(), node->text);
    if (it != words.end()) return static_cast<size_t>(it - words.begin());
    const auto near = closest(node->text, words);
    fail(key,
         fmt::format("'{}' is not {}", node->text, expected),
         "",
         near ? fmt::format("did you mean '{}'?", *near) : "choose one of these");
    return std::nullopt;
}

std::filesystem::path Section::resolve_input(const std::string& text) const {
    return ((base_dir_ ? *base_dir_ : std::filesystem::path()) / text).lexically_normal();
}

std::optional<std::filesystem::path> existing_file(const Section& section, const std::string& key) {
    const auto text = section.text(key);
    if (!text) return std::nullopt;
    auto file = section.resolve_input(*text);
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file;
    section.fail(key,
                 fmt::format("there is no file '{}'", file.string()),
                 "",
                 "paths are relative to the configuration file");
    return std::nullopt;
}

std::optional<std::filesystem::path> output_path(const Section& section,
                                                 const std::string& key,
                                                 const std::vector<std::string>& extensions) {
    const auto text = section.text(key);
    if (!text) return std::nullopt;
    std::filesystem::path path(*text);
    if (std::find(extensions.begin(), extensions.end(), lower_extension(path)) ==
        extensions.end()) {
        section.fail(key,
                     fmt::format("'{}' does not end in {}", *text, fmt::join(extensions, ", ")),
                     "the ending chooses the format",
                     fmt::format("write for example flux{}", extensions.front()));
        return std::nullopt;
    }
    return path;
}

}  // namespace helioray
