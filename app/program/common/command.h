// SPDX-License-Identifier: MIT
// Commands and their options. This is the boundary to CLI11, a header-only library that defines its
// validators in every source: a source that only includes it costs 3 CPU seconds. The program's
// sources took 259 CPU seconds with it, and 125 since only command.cpp includes it.
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

/// Thrown for arguments that do not fit the commands; what() describes the problem without the
/// program's name.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Controls if the help of an option lists the words that it accepts; if not, its type_name() does.
enum class WordsInHelp { yes, no };

/// Handle of an option, a flag or a positional argument of a command. Copies refer to the same
/// option. A handle is valid as long as the CommandLine.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    /// Makes the option required.
    Option required() const;

    /// Sets the placeholder of the value in the help, "FILE" or "linear|log".
    Option type_name(std::string_view name) const;

    /// Sets a text that replaces everything the help prints about the value.
    Option option_text(std::string_view text) const;

    /// Sets the value of an option that is given without one, see expected(); the help shows it.
    Option default_str(std::string_view text) const;

    /// Sets the headline of the help section that lists the option.
    Option group(std::string_view headline) const;

    /// Sets the number of values for each time the option is given.
    Option expected(int count) const;

    /// Sets the lowest and highest number of values; with 0 the option may be given without a
    /// value.
    Option expected(int least, int most) const;

    /// Sets a character that separates several values in one argument.
    Option delimiter(char separator) const;

    /// Allows the option several times; all values count.
    Option take_all() const;

    /// Controls if a list takes all arguments that follow (the default) or one each time.
    Option allow_extra_args(bool allowed) const;

    /// Makes it an error to give both options.
    Option excludes(Option other) const;

    /// Makes it an error to give this option without the other one.
    Option needs(Option other) const;

    /// Accepts only values from lowest to highest, both included.
    Option range(int lowest, int highest) const;
    Option range(double lowest, double highest) const;

    /// Accepts only values above zero.
    Option positive() const;

    /// Accepts only these words.
    Option accept_only(const std::vector<std::string>& words,
                       WordsInHelp in_help = WordsInHelp::yes) const;

    /// Returns the first long name, "--output"; the name of a positional argument has no dashes.
    std::string name() const;

    /// Returns all names with their dashes, short ones first: "-o", "--output". The list is empty
    /// for a positional argument.
    std::vector<std::string> names() const;

    /// Returns the description in the help.
    std::string description() const;

    /// Returns the kind of the values: the placeholder with the limits of the checks, "N:INT in [1
    /// - 9]".
    std::string type_name() const;

    /// Returns the text set with option_text(), or an empty text.
    std::string option_text() const;

    /// Returns the largest number of values; 0 for a flag.
    int most_values() const;

    /// Returns the values given on the command line.
    std::vector<std::string> values() const;

  private:
    CLI::Option* option_;
};

/// Handle of a command with its options and subcommands. Copies refer to the same command. A handle
/// is valid as long as the CommandLine.
class Command {
  public:
    explicit Command(CLI::App& app) : app_(&app) {}

    /// Adds a subcommand.
    Command add_subcommand(std::string_view name, std::string_view description) const;

    /// Requires exactly one of the subcommands.
    void require_subcommand() const;

    /// Adds an option that sets `value`, which must outlive the command. `names` is "-o,--output",
    /// or "file" for a positional argument. T is std::string, int, int64_t, double, std::optional
    /// of std::string or double, std::vector of std::string, int64_t or double.
    template <typename T>
    Option add_option(std::string_view names, T& value, std::string_view description) const;

    /// Adds an option that calls `take` with its value.
    Option add_option_function(std::string_view names,
                               const std::function<void(const std::string&)>& take,
                               std::string_view description) const;

    /// Adds an option that accepts one of these words and sets `value` to the value paired with it.
    /// The placeholder in the help lists the words: "linear|ideal".
    template <typename Value, typename Meaning>
    Option add_choice(std::string_view names,
                      Value& value,
                      const std::vector<std::pair<std::string, Meaning>>& choices,
                      std::string_view description) const {
        std::vector<std::string> words;
        std::string placeholder;
        for (const auto& choice : choices) {
            words.push_back(choice.first);
            placeholder += (placeholder.empty() ? "" : "|") + choice.first;
        }
        return add_option_function(
                   names,
                   [&value, choices](const std::string& given) {
                       for (const auto& [word, meaning] : choices)
                           if (word == given) value = meaning;
                   },
                   description)
            .accept_only(words, WordsInHelp::no)
            .type_name(placeholder);
    }

    /// Adds an option without a value that sets `given` to true.
    Option add_flag(std::string_view names, bool& given, std::string_view description) const;

    /// Adds --version, which prints this text.
    void add_version(const std::string& text) const;

    /// Sets the text of the help after the options: examples, exit codes.
    void footer(std::string_view text) const;

    /// Sets a function that is called when the command line contains this command and all its
    /// options are set. It may throw UsageError.
    void callback(std::function<void()> work) const;

    /// Returns true if the command line contains this option; `name` is one of its names,
    /// "--output".
    bool is_given(const std::string& name) const;

    std::string name() const;             ///< "paint"
    std::string description() const;      ///< description of the command in the help
    std::vector<Option> options() const;  ///< options in the order of the help, including --help
    std::vector<Command> subcommands() const;  ///< all subcommands
  private:
    CLI::App* app_;
};

/// Parser for the arguments of a program.
class CommandLine {
  public:
    CommandLine(const std::string& description, const std::string& program);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    /// Returns the program itself, the root of all commands.
    Command program() const;

    /// Sets the values of all options and calls the callback of the given command. Returns false
    /// after printing help or version. Throws UsageError for arguments that do not fit, and
    /// rethrows exceptions of callbacks.
    bool parse(int argc, char** argv);

  private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace helioray::app
