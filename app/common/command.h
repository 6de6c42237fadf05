// SPDX-License-Identifier: MIT
// Commands and their options. This is the boundary to CLI11, a library of headers alone that
// defines its validators in every source: one that includes it and nothing else costs 3 CPU
// seconds. The program's sources took 259 CPU seconds with it, and 125 since only command.cpp
// includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace helioray::app {

/// Thrown for arguments that do not fit the commands; what() says which, without the program's
/// name.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Whether the help of an option lists the words that it takes, or its type_name() does.
enum class WordsInHelp { yes, no };

/// An option, a flag or a positional argument of a command. A handle: copies are the same option,
/// and it is valid as long as the CommandLine.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    /// Without it, the command is an error.
    Option required() const;

    /// What the help shows as its value, "FILE" or "linear|log".
    Option type_name(std::string_view name) const;

    /// The same, but instead of everything that the help says about the value.
    Option option_text(std::string_view text) const;

    /// The value where it stands alone, see expected(); the help shows it.
    Option default_str(std::string_view text) const;

    /// The headline of the help below which it stands.
    Option group(std::string_view headline) const;

    /// Takes that many values each time it is given.
    Option expected(int count) const;

    /// Takes at least and at most that many values; with 0 it may stand alone.
    Option expected(int least, int most) const;

    /// Values may also stand in one argument with this character between them.
    Option delimiter(char separator) const;

    /// May be given several times; all values count.
    Option take_all() const;

    /// Of a list: whether it takes all arguments that follow (the default) or one each time.
    Option allow_extra_args(bool allowed) const;

    /// Both together are an error.
    Option excludes(Option other) const;

    /// Without the other one it is an error.
    Option needs(Option other) const;

    /// Values outside of lowest to highest, both included, are errors.
    Option range(int lowest, int highest) const;
    Option range(double lowest, double highest) const;

    /// Values that are not above zero are errors.
    Option positive() const;

    /// Values other than these words are errors.
    Option one_of(const std::vector<std::string>& words,
                  WordsInHelp in_help = WordsInHelp::yes) const;

    /// Its first long name, "--output"; that of a positional argument has no dashes.
    std::string name() const;

    /// All names with their dashes, short ones first: "-o", "--output". Of a positional argument
    /// none.
    std::vector<std::string> names() const;

    /// The help's sentences about it.
    std::string description() const;

    /// The kind of its values: type_name() with what the checks add to it, "N:INT in [1 - 9]".
    std::string type_name() const;

    /// The text of option_text(); may be empty.
    std::string option_text() const;

    /// The largest number of values that it takes; 0 for a flag.
    int most_values() const;

    /// The values that the command line gives.
    std::vector<std::string> values() const;

  private:
    CLI::Option* option_;
};

/// A command with its options, and commands below it. A handle: copies are the same command, and it
/// is valid as long as the CommandLine.
class Command {
  public:
    explicit Command(CLI::App& app) : app_(&app) {}

    /// Adds a command below this one.
    Command add_subcommand(std::string_view name, std::string_view description) const;

    /// Exactly one of the commands below has to be given.
    void require_subcommand() const;

    /// Adds an option that sets `value`, which must outlive the command. names: "-o,--output", or
    /// "file" for a positional argument. T: std::string, int, int64_t, double, std::optional of
    /// std::string or double, std::vector of std::string, int64_t or double.
    template <typename T>
    Option add_option(std::string_view names, T& value, std::string_view description) const;

    /// Adds an option that calls `take` with its value.
    Option add_option_function(std::string_view names,
                               const std::function<void(const std::string&)>& take,
                               std::string_view description) const;

    /// Adds an option that takes one of these words and sets `value` to what stands beside it.
    template <typename Value>
    Option add_choice(
        std::string_view names,
        Value& value,
        const std::vector<std::pair<std::string, std::type_identity_t<Value>>>& choices,
        std::string_view description) const {
        std::vector<std::string> words;
        for (const auto& choice : choices) words.push_back(choice.first);
        return add_option_function(
                   names,
                   [&value, choices](const std::string& given) {
                       for (const auto& [word, meaning] : choices)
                           if (word == given) value = meaning;
                   },
                   description)
            .one_of(words, WordsInHelp::no);
    }

    /// Adds an option without a value that sets `given` to true.
    Option add_flag(std::string_view names, bool& given, std::string_view description) const;

    /// Adds --version, which prints this text.
    void add_version(const std::string& text) const;

    /// The help's text after the options: examples, exit codes.
    void footer(std::string_view text) const;

    /// Called when the command line has this command and all its options are set; may throw
    /// UsageError.
    void callback(std::function<void()> work) const;

    /// Whether the command line has this option. names: one of its names, "--output".
    bool is_given(const std::string& name) const;

    std::string name() const;                  ///< "paint"
    std::string description() const;           ///< the help's sentence about it
    std::vector<Option> options() const;       ///< in the order of the help, --help among them
    std::vector<Command> subcommands() const;  ///< all that are below this one
  private:
    CLI::App* app_;
};

/// A program's arguments: its commands, and what was given.
class CommandLine {
  public:
    CommandLine(const std::string& description, const std::string& program);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    /// The program itself, above all commands.
    Command program() const;

    /// Sets the values of all options and calls the callback of the command that was given. False
    /// where help or version were asked for, which are printed then. Throws UsageError for
    /// arguments that do not fit, and what callbacks throw.
    bool parse(int argc, char** argv);

  private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace helioray::app
