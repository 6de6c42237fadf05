// SPDX-License-Identifier: MIT
// The completion command: prints scripts that let a shell complete commands, options and files.
#include "app/program/completion/completion.h"

#include "app/program/commands/commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace helioray::app {

void add_completion(Command parent, Action& action) {
    const auto shell = std::make_shared<std::string>();
    const Command command = parent.add_subcommand(
        "completion", "Print a script that completes commands, options and files in a shell");
    command
        .add_option("shell", *shell, "bash, fish or zsh; manual: the commands of the manual page")
        .required()
        .type_name("bash|fish|zsh|manual")
        .option_text("bash|fish|zsh|manual")
        .accept_only({"bash", "fish", "zsh", "manual"});
    command.footer(
        "Examples:\n"
        "  source <(helioray completion bash)                                  # this shell\n"
        "  helioray completion bash > ~/.local/share/bash-completion/completions/helioray\n"
        "  helioray completion fish > ~/.config/fish/completions/helioray.fish\n"
        "  helioray completion zsh > \"${fpath[1]}/_helioray\"");
    command.callback([shell, parent, &action] {
        // The description of the command line no longer exists when the action runs.
        const CommandEntry program = describe_commands(parent);
        action = [text = *shell == "bash"     ? bash_completion(program)
                         : *shell == "fish"   ? fish_completion(program)
                         : *shell == "manual" ? manual_section(program)
                                              : zsh_completion(program)] {
            fmt::print("{}", text);
            return 0;
        };
    });
}

}  // namespace helioray::app
