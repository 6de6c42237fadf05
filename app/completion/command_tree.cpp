// SPDX-License-Identifier: MIT
// Reads commands, options and their values from CLI11's description.
#include "app/completion/completion.h"

#include <CLI/CLI.hpp>

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

/// "cuda[:N]" can be completed to "cuda", "N" to nothing.
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

/// Extensions of files by placeholder.
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

ValueKind value_kind(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return {};
    for (const std::string& placeholder : {option.get_type_name(), option.get_option_text()}) {
        const auto files = file_placeholders().find(placeholder);
        if (files != file_placeholders().end()) return {ValueKind::Type::file, files->second};
        if (placeholder == "DIR" || placeholder == "FOLDER") return {ValueKind::Type::folder, {}};
        if (auto words = choices(placeholder); !words.empty()) {
            return {ValueKind::Type::words, std::move(words)};
        }
    }
    return {ValueKind::Type::text, {}};
}

OptionEntry option_entry(const CLI::Option& option) {
    OptionEntry entry;
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
    entry.description = option.get_description();
    entry.value = value_kind(option);
    entry.repeatable = option.get_items_expected_max() > 1;
    return entry;
}

CommandEntry command_entry(const CLI::App& command, const std::string& path) {
    CommandEntry entry;
    entry.path = path;
    entry.name = command.get_name();
    entry.description = command.get_description();
    for (const CLI::Option* option : command.get_options()) {
        if (option->nonpositional())
            entry.options.push_back(option_entry(*option));
        else
            entry.operands.push_back(value_kind(*option));
    }
    for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
        entry.commands.push_back(command_entry(
            *below, path.empty() ? below->get_name() : path + " " + below->get_name()));
    }
    return entry;
}

void append(const CommandEntry& command, std::vector<const CommandEntry*>& all) {
    all.push_back(&command);
    for (const CommandEntry& below : command.commands) append(below, all);
}

}  // namespace

CommandEntry describe_commands(const CLI::App& program) {
    return command_entry(program, "");
}

std::vector<const CommandEntry*> all_commands(const CommandEntry& program) {
    std::vector<const CommandEntry*> all;
    append(program, all);
    return all;
}

}  // namespace helioray::app
