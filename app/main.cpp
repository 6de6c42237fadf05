// SPDX-License-Identifier: MIT
// The helioray program: arguments in, exit code out. The only place where exceptions become
// messages.
#include "app/already_reported.h"
#include "app/command_line.h"
#include "app/failure.h"
#include "app/instruction_set.h"
#include "app/interrupt.h"
#include "app/standard_streams.h"
#include "distributed/launcher.h"
#include "raytracer/run/failure.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <variant>

namespace {

using namespace helioray;

int report(const std::exception& error, int exit_code) {
    app::print_failure(run::readable_message(error));
    return exit_code;
}

int run_command(int argc, char** argv) {
    try {
        const auto parsed = app::parse_command_line(argc, argv);
        if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
        app::check_instruction_set();
        app::install_signal_handlers();
        return std::get<app::Action>(parsed)();
    } catch (const app::Interrupted& interrupted) {
        return report(interrupted, 128 + app::pending_signal());
    } catch (const run::Stopped& stopped) {
        return report(stopped, 128 + app::pending_signal());
    } catch (const app::AlreadyReported& error) {
        return error.exit_code();
    } catch (const InputError& error) {
        return report(error, 2);
    } catch (const LaunchError& error) {
        return report(error, 2);
    } catch (const std::exception& error) {
        return report(error, 1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    app::open_standard_streams();
    app::install_crash_handler();
    const int exit_code = run_command(argc, argv);
    // Results that a full disk swallowed were not delivered.
    if (app::flush_stdout() || exit_code != 0) return exit_code;
    app::print_failure(fmt::format("stdout cannot be written ({})", std::strerror(errno)));
    return 1;
}
