// SPDX-License-Identifier: MIT
// The helioray program: runs a command and returns its exit code. Only this file turns exceptions
// into messages.
#include "app/program/commands/commands.h"
#include "app/program/common/signals.h"
#include "app/program/common/standard_streams.h"
#include "distributed/launch/launcher.h"
#include "kernels/core/instruction_set.h"
#include "raytracer/run/options.h"
#include "scenario/files/error.h"
#include "scenario/files/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <variant>

namespace {

using namespace helioray;

int report(const std::exception& error, int exit_code) {
    app::print_failure(run::readable_message(error));
    return exit_code;
}

/// Throws InputError if HELIORAY_INSTRUCTION_SET is not an instruction set, or is one that this
/// processor lacks.
void check_instruction_set() {
    try {
        kernels::resolve_instruction_set();
    } catch (const std::invalid_argument& error) {
        throw InputError(Problem{"environment", error.what(), "", ""});
    }
}

int run_command(int argc, char** argv) {
    try {
        const auto parsed = app::parse_command_line(argc, argv);
        if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
        check_instruction_set();
        app::install_signal_handlers();
        const StreamStop obey([] { return app::pending_signal() != 0; });
        return std::get<app::Action>(parsed)();
    } catch (const app::Interrupted& interrupted) {
        return report(interrupted, 128 + app::pending_signal());
    } catch (const run::Stopped& stopped) {
        return report(stopped, 128 + app::pending_signal());
    } catch (const app::AlreadyReported& error) {
        return error.exit_code();
    } catch (const InputError& error) {
        // A signal also ends the wait for a pipe.
        if (const int signal = app::pending_signal())
            return report(app::Interrupted(), 128 + signal);
        return report(error, 2);
    } catch (const std::filesystem::filesystem_error& error) {
        const std::string path = error.path1().string();
        return report(InputError(Problem{path, error.code().message(), "", "check the path"}), 2);
    } catch (const LaunchError& error) {
        return report(error, 2);
    } catch (const std::exception& error) {
        return report(error, 1);
    }
}

}  // namespace

#ifdef HELIORAY_WHEEL
/// The program as part of the extension of the Python package, which python/helioray_program calls.
extern "C" int helioray_main(int argc, char** argv) {
#else
int main(int argc, char** argv) {
#endif
    app::open_standard_streams();
    app::install_crash_handler();
    const int exit_code = run_command(argc, argv);
    // The command fails if its output was lost on a full disk.
    if (app::flush_stdout() || exit_code != 0) return exit_code;
    app::print_failure(fmt::format("stdout cannot be written ({})", std::strerror(errno)));
    return 1;
}
