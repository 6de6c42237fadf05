// SPDX-License-Identifier: MIT
// Builds the tree from yaml-cpp's parser events, which contain every position and leave the
// expansion of aliases to this code.
#include "scenario/config/yaml_tree.h"

#include "scenario/files/text_file.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace helioray {

const YamlNode* YamlNode::find(const std::string& key) const {
    if (index_) {
        const auto it = index_->find(key);
        if (it != index_->end()) return &entries[it->second].value;
    }
    for (size_t i = index_ ? num_indexed_ : 0; i < entries.size(); ++i) {
        if (entries[i].key == key) return &entries[i].value;
    }
    return nullptr;
}

void YamlNode::remove(const std::string& key) {
    std::erase_if(entries, [&](const YamlEntry& entry) { return entry.key == key; });
    if (index_) index_entries();
}

void YamlNode::index_entries() {
    auto index = std::make_shared<std::unordered_map<std::string, size_t>>();
    index->reserve(entries.size());
    for (size_t i = 0; i < entries.size(); ++i) index->try_emplace(entries[i].key, i);
    index_ = std::move(index);
    num_indexed_ = entries.size();
}

YamlNode* YamlNode::find(const std::string& key) {
    return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

YamlNode make_scalar(const std::string& text, const ConfigLocation& at) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = text;
    node.quoted = true;
    node.at = at;
    return node;
}

namespace {

/// Largest number of values copied by aliases. It is sufficient for any field (an aim point of a
/// heliostat is six values) and refuses malicious files.
constexpr size_t kMostCopies = 4'000'000;

size_t count_nodes(const YamlNode& node) {
    size_t count = 1;
    for (const YamlNode& item : node.items) count += count_nodes(item);
    for (const YamlEntry& entry : node.entries) count += count_nodes(entry.value);
    return count;
}

class TreeBuilder final : public YAML::EventHandler {
  public:
    TreeBuilder(std::string origin, bool is_option)
        : origin_(std::move(origin)), is_option_(is_option) {}

    YamlNode take_root() { return std::move(root_); }

    /// Throws InputError for YAML that cannot be a configuration.
    void check() const {
        if (!collection_as_key_) return;
        throw InputError(Problem{where(*collection_as_key_, ""),
                                 "a list or map cannot be a key",
                                 "",
                                 "write 'key: value' with a word as key"});
    }

    void OnDocumentStart(const YAML::Mark& mark) override { root_.at = location(mark); }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        YamlNode node;
        node.at = location(mark);
        finish(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto it = anchors_.find(anchor);
        if (it == anchors_.end()) {
            refuse(mark, "an alias stands inside the value that it names", "write the value out");
        }
        num_copies_ += count_nodes(it->second);
        if (num_copies_ > kMostCopies) {
            refuse(mark, "aliases expand to more than four million values", "write fewer aliases");
        }
        finish(it->second, 0);
    }

    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlNode node = make_scalar(value, location(mark));
        node.quoted = tag == "!";
        finish(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string&,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, anchor, YamlNode::Kind::sequence);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark,
                    const std::string&,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, anchor, YamlNode::Kind::map);
    }
    void OnMapEnd() override {
        // Most maps have a few keys, for which comparing is faster than an index.
        constexpr size_t kManyEntries = 16;
        if (stack_.back().node.entries.size() > kManyEntries) stack_.back().node.index_entries();
        close();
    }

  private:
    /// A collection that is not complete yet. A map alternates between keys and values.
    struct Open {
        YamlNode node;
        YAML::anchor_t anchor = 0;
        bool has_key = false;
        std::string key;
        ConfigLocation key_at;
    };

    ConfigLocation location(const YAML::Mark& mark) const {
        if (is_option_) return {origin_, 0, 0};
        return {origin_, mark.line + 1, mark.column + 1};
    }

    [[noreturn]] void refuse(const YAML::Mark& mark,
                             const std::string& what,
                             const std::string& advice) const {
        throw InputError(Problem{where(location(mark), ""), what, "", advice});
    }

    void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
        // The problem is reported after parsing, because until then it may be a bracket that is not
        // closed.
        const bool in_map = !stack_.empty() && stack_.back().node.kind == YamlNode::Kind::map;
        if (in_map && !stack_.back().has_key && !collection_as_key_) {
            collection_as_key_ = location(mark);
        }
        Open collection;
        collection.node.kind = kind;
        collection.node.at = location(mark);
        collection.anchor = anchor;
        stack_.push_back(std::move(collection));
    }

    void close() {
        Open collection = std::move(stack_.back());
        stack_.pop_back();
        finish(std::move(collection.node), collection.anchor);
    }

    void finish(YamlNode node, YAML::anchor_t anchor) {
        if (anchor != 0) anchors_[anchor] = node;
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = stack_.back();
        if (parent.node.kind == YamlNode::Kind::sequence) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.has_key) {
            parent.key = node.text;
            parent.key_at = node.at;
            parent.has_key = true;
        } else {
            // The parser places an empty value or a block at the token that follows; users expect
            // the place of the key.
            if (node.kind != YamlNode::Kind::scalar) node.at = parent.key_at;
            parent.node.entries.push_back({parent.key, parent.key_at, std::move(node)});
            parent.has_key = false;
        }
    }

    std::string origin_;
    bool is_option_;
    YamlNode root_;
    std::vector<Open> stack_;
    std::map<YAML::anchor_t, YamlNode> anchors_;
    size_t num_copies_ = 0;
    std::optional<ConfigLocation> collection_as_key_;
};

/// Returns a plainer text for the obscure messages of yaml-cpp.
std::string explained(const std::string& message) {
    if (message == YAML::ErrorMsg::EOF_IN_SCALAR) return "a quote is not closed";
    if (message == YAML::ErrorMsg::END_OF_SEQ_FLOW) return "a bracket '[' is not closed";
    if (message == YAML::ErrorMsg::END_OF_MAP_FLOW) return "a brace '{' is not closed";
    // This is the parser's message for maps that are nested too deeply.
    if (message == YAML::ErrorMsg::BAD_FILE) return "lists and maps are nested too deeply";
    return message;
}

/// Returns true for words of letters, digits and a few signs, and for numbers, which never need
/// quotes.
bool is_plain(const std::string& text) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
    if (first >= text.size()) return false;
    if (!is_digit(text[first]) && (first > 0 || !is_letter(text[first]))) return false;
    if (text.size() == 4 && (text[0] == 'n' || text[0] == 'N')) return false;  // "null"
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return is_digit(c) || is_letter(c) || c == '_' || c == '.' || c == '-' || c == '+';
    });
}

/// Returns a scalar within a list. yaml-cpp's tests for quotes take 20 times as long as the rest,
/// and most scalars need none.
std::string scalar_text(const std::string& text, bool quoted) {
    if (!quoted && is_plain(text)) return text;
    // These are marks of documents at the beginning of a line.
    if (text.starts_with("---") || text.starts_with("...")) quoted = true;
    YAML::Emitter out;
    out << YAML::Flow << YAML::BeginSeq;
    if (quoted) out << YAML::DoubleQuoted;
    out << text << YAML::EndSeq;
    const std::string list = out.c_str();
    return list.substr(1, list.size() - 2);
}

/// Returns a key. Keys that exceed the look-ahead of parsers need an explicit mark.
std::string key_text(const std::string& key) {
    constexpr size_t kLongest = 1000;
    const std::string text = scalar_text(key, false);
    return text.size() > kLongest ? "? " + text : text;
}

void emit_in_line(std::string& out, const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            out += '~';
            return;
        case YamlNode::Kind::scalar:
            out += scalar_text(node.text, node.quoted);
            return;
        case YamlNode::Kind::sequence:
            out += '[';
            for (size_t i = 0; i < node.items.size(); ++i) {
                if (i > 0) out += ", ";
                emit_in_line(out, node.items[i]);
            }
            out += ']';
            return;
        case YamlNode::Kind::map:
            out += '{';
            for (size_t i = 0; i < node.entries.size(); ++i) {
                if (i > 0) out += ", ";
                const std::string key = key_text(node.entries[i].key);
                out += key + (key.starts_with("? ") ? " : " : ": ");
                emit_in_line(out, node.entries[i].value);
            }
            out += '}';
            return;
    }
}

void emit_lines(std::string& out, const YamlNode& map, size_t indent) {
    for (const YamlEntry& entry : map.entries) {
        const std::string key = key_text(entry.key);
        const bool is_long = key.starts_with("? ");
        out.append(indent, ' ');
        out += is_long ? key + "\n" + std::string(indent, ' ') : key;
        out += ':';
        if (!is_long && entry.value.kind == YamlNode::Kind::map && !entry.value.entries.empty()) {
            out += '\n';
            emit_lines(out, entry.value, indent + 2);
        } else {
            out += ' ';
            emit_in_line(out, entry.value);
            out += '\n';
        }
    }
}

}  // namespace

YamlNode parse_yaml(const std::string& text, const std::string& origin, bool is_option) {
    refuse_binary(text, origin);
    TreeBuilder builder(origin, is_option);
    try {
        // If a line break follows, yaml-cpp treats a quote that is never closed as closed at the
        // end.
        std::istringstream stream(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        builder.check();
        YamlNode root = builder.take_root();
        TreeBuilder second(origin, is_option);
        if (parser.HandleNextDocument(second)) {
            const std::string place = where(second.take_root().at, "");
            throw InputError(Problem{place,
                                     "a second document begins after '---'",
                                     "only one would be read",
                                     "keep one configuration per file"});
        }
        if (root.at.source.empty()) root.at = {origin, is_option ? 0 : 1, is_option ? 0 : 1};
        return root;
    } catch (const YAML::Exception& error) {
        ConfigLocation at{origin, 0, 0};
        if (!is_option && !error.mark.is_null()) {
            at.line = error.mark.line + 1;
            at.column = error.mark.column + 1;
        }
        throw InputError(
            Problem{where(at, ""),
                    "not valid YAML: " + explained(error.msg),
                    "",
                    "check indentation (blanks, no tabs), colons, brackets and quotes up to here"});
    }
}

std::string emit_yaml(const YamlNode& root) {
    std::string text;
    if (root.kind == YamlNode::Kind::map && !root.entries.empty()) {
        emit_lines(text, root, 0);
    } else {
        emit_in_line(text, root);
        text += '\n';
    }
    return text;
}

}  // namespace helioray
