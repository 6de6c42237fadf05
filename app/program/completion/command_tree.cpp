// SPDX-License-Identifier: MIT
// Reads commands, options and their values from the description of the command line.
#include "app/program/completion/completion.h"

#include <algorithm>
#include <map>

namespace helioray::app {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// Returns the part of a placeholder that can be completed: "cuda" for "cuda[:N]", nothing for "N".
std::string literal_part(const std::string& word) {
    const std::string literal = word.substr(0, word.find('['));
    const auto is_literal = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    const bool starts = !literal.empty() && literal[0] >= 'a' && literal[0] <= 'z';
    return starts && std::all_of(literal.begin(), literal.end(), is_literal) ? literal : "";
}

std::vector<std::string> choices(const std::string& placeholder) {
    const std::size_t open = placeholder.find('{');
    const std::size_t close = placeholder.find('}');
    if (open != std::string::npos && close != std::string::npos) {
        return split(placeholder.substr(open + 1, close - open - 1), ',');
    }
    std::vector<std::string> words;
    for (const std::string& word : split(placeholder, '|')) {
        if (std::string literal = literal_part(word); !literal.empty()) words.push_back(literal);
    }
    return words;
}

/// Returns the extensions of files by placeholder.
const std::map<std::string, std::vector<std::string>>& file_placeholders() {
    static const std::map<std::string, std::vector<std::string>> table{
        {"FILE", {}},
        {"CONFIG", {"yaml", "yml"}},
        {"RESULT", {"h5"}},
        {"OTHER_RESULT", {"h5"}},
        {"SCENARIO", {"h5"}},
        {"PICTURE", {"png", "svg", "pdf"}},
        {"PAGE", {"html"}},
        {"PNG", {"png"}}};
    return table;
}

ValueKind value_kind(Option option) {
    if (option.most_values() == 0) return {};
    for (const std::string& placeholder : {option.type_name(), option.option_text()}) {
        const auto files = file_placeholders().find(placeholder);
        if (files != file_placeholders().end()) return {ValueKind::Type::file, files->second};
        if (placeholder == "DIR" || placeholder == "FOLDER") return {ValueKind::Type::folder, {}};
        if (auto words = choices(placeholder); !words.empty()) {
            return {ValueKind::Type::words, std::move(words)};
        }
    }
    return {ValueKind::Type::text, {}};
}

CommandEntry command_entry(Command command, const std::string& path) {
    CommandEntry entry;
    entry.path = path;
    entry.name = command.name();
    entry.description = command.description();
    for (const Option option : command.options()) {
        std::vector<std::string> names = option.names();
        if (names.empty())
            entry.operands.push_back(value_kind(option));
        else
            entry.options.push_back({std::move(names),
                                     option.description(),
                                     value_kind(option),
                                     option.most_values() > 1});
    }
    for (const Command below : command.subcommands()) {
        entry.commands.push_back(
            command_entry(below, path.empty() ? below.name() : path + " " + below.name()));
    }
    return entry;
}

void append(const CommandEntry& command, std::vector<const CommandEntry*>& all) {
    all.push_back(&command);
    for (const CommandEntry& below : command.commands) append(below, all);
}

}  // namespace

CommandEntry describe_commands(Command program) {
    return command_entry(program, "");
}

std::vector<const CommandEntry*> all_commands(const CommandEntry& program) {
    std::vector<const CommandEntry*> all;
    append(program, all);
    return all;
}

}  // namespace helioray::app
