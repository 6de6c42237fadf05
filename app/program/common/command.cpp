// SPDX-License-Identifier: MIT
// Implements commands and options with CLI11.
#include "app/program/common/command.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace helioray::app {

namespace {

/// Returns a check of a number, with a message that does not depend on the version of CLI11.
template <typename Number>
CLI::Validator within(Number lowest, Number highest) {
    const CLI::Range range(lowest, highest);
    return CLI::Validator(
        [range, lowest, highest](std::string& text) {
            return range(text).empty()
                       ? std::string()
                       : fmt::format("Value {} not in range {} to {}", text, lowest, highest);
        },
        range.get_description());
}

}  // namespace

Option Option::required() const {
    option_->required();
    return *this;
}

Option Option::type_name(std::string_view name) const {
    option_->type_name(std::string(name));
    return *this;
}

Option Option::option_text(std::string_view text) const {
    option_->option_text(std::string(text));
    return *this;
}

Option Option::default_str(std::string_view text) const {
    option_->default_str(std::string(text));
    return *this;
}

Option Option::group(std::string_view headline) const {
    option_->group(std::string(headline));
    return *this;
}

Option Option::expected(int count) const {
    option_->expected(count);
    return *this;
}

Option Option::expected(int least, int most) const {
    option_->expected(least, most);
    return *this;
}

Option Option::delimiter(char separator) const {
    option_->delimiter(separator);
    return *this;
}

Option Option::take_all() const {
    option_->take_all();
    return *this;
}

Option Option::allow_extra_args(bool allowed) const {
    option_->allow_extra_args(allowed);
    return *this;
}

Option Option::excludes(Option other) const {
    option_->excludes(other.option_);
    return *this;
}

Option Option::needs(Option other) const {
    option_->needs(other.option_);
    return *this;
}

Option Option::range(int lowest, int highest) const {
    option_->check(within(lowest, highest));
    return *this;
}

Option Option::range(double lowest, double highest) const {
    option_->check(within(lowest, highest));
    return *this;
}

Option Option::positive() const {
    option_->check(CLI::PositiveNumber);
    return *this;
}

Option Option::accept_only(const std::vector<std::string>& words, WordsInHelp in_help) const {
    CLI::IsMember check(words);
    if (in_help == WordsInHelp::no) check.description("");
    option_->check(check);
    return *this;
}

std::string Option::name() const {
    return option_->get_name();
}

std::vector<std::string> Option::names() const {
    std::vector<std::string> names;
    for (const std::string& name : option_->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option_->get_lnames()) names.push_back("--" + name);
    return names;
}

std::string Option::description() const {
    return option_->get_description();
}

std::string Option::type_name() const {
    return option_->get_type_name();
}

std::string Option::option_text() const {
    return option_->get_option_text();
}

int Option::most_values() const {
    return option_->get_items_expected_max();
}

std::vector<std::string> Option::values() const {
    return option_->results();
}

Command Command::add_subcommand(std::string_view name, std::string_view description) const {
    return Command(*app_->add_subcommand(std::string(name), std::string(description)));
}

void Command::require_subcommand() const {
    app_->require_subcommand(1);
}

template <typename T>
Option Command::add_option(std::string_view names, T& value, std::string_view description) const {
    return Option(*app_->add_option(std::string(names), value, std::string(description)));
}

template Option Command::add_option(std::string_view, std::string&, std::string_view) const;
template Option Command::add_option(std::string_view, int&, std::string_view) const;
template Option Command::add_option(std::string_view, int64_t&, std::string_view) const;
template Option Command::add_option(std::string_view, double&, std::string_view) const;
template Option Command::add_option(std::string_view,
                                    std::optional<std::string>&,
                                    std::string_view) const;
template Option Command::add_option(std::string_view,
                                    std::optional<double>&,
                                    std::string_view) const;
template Option Command::add_option(std::string_view,
                                    std::vector<std::string>&,
                                    std::string_view) const;
template Option Command::add_option(std::string_view,
                                    std::vector<int64_t>&,
                                    std::string_view) const;
template Option Command::add_option(std::string_view, std::vector<double>&, std::string_view) const;

Option Command::add_option_function(std::string_view names,
                                    const std::function<void(const std::string&)>& take,
                                    std::string_view description) const {
    return Option(*app_->add_option_function<std::string>(
        std::string(names), take, std::string(description)));
}

Option Command::add_flag(std::string_view names, bool& given, std::string_view description) const {
    return Option(*app_->add_flag(std::string(names), given, std::string(description)));
}

void Command::add_version(const std::string& text) const {
    app_->set_version_flag("--version", text);
}

void Command::footer(std::string_view text) const {
    app_->footer(std::string(text));
}

void Command::callback(std::function<void()> work) const {
    app_->callback(std::move(work));
}

bool Command::is_given(const std::string& name) const {
    return app_->count(name) > 0;
}

std::string Command::name() const {
    return app_->get_name();
}

std::string Command::description() const {
    return app_->get_description();
}

std::vector<Option> Command::options() const {
    std::vector<Option> options;
    for (CLI::Option* option : app_->get_options()) options.emplace_back(*option);
    return options;
}

std::vector<Command> Command::subcommands() const {
    std::vector<Command> commands;
    for (CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; }))
        commands.emplace_back(*command);
    return commands;
}

CommandLine::CommandLine(const std::string& description, const std::string& program)
    : app_(std::make_unique<CLI::App>(description, program)) {}

CommandLine::~CommandLine() = default;

Command CommandLine::program() const {
    return Command(*app_);
}

bool CommandLine::parse(int argc, char** argv) {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) throw UsageError(error.what());
        app_->exit(error);
        return false;
    }
    return true;
}

}  // namespace helioray::app
