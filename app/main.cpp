// SPDX-License-Identifier: MIT
// The helioray program: arguments in, exit code out. The only place where exceptions become
// messages.
#include "app/already_reported.h"
#include "app/command_line.h"
#include "app/interrupt.h"
#include "distributed/launcher.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace {

using namespace helioray;

int report(const char* message, int exit_code) {
    fmt::print(stderr, "helioray: {}\n", message);
    return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    const auto parsed = app::parse_command_line(argc, argv);
    if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
    try {
        app::install_signal_handlers();
        return std::get<app::Action>(parsed)();
    } catch (const app::Interrupted& interrupted) {
        return report(interrupted.what(), interrupted.exit_code());
    } catch (const app::AlreadyReported& error) {
        return error.exit_code();
    } catch (const InputError& error) {
        return report(error.what(), 2);
    } catch (const LaunchError& error) {
        return report(error.what(), 2);
    } catch (const std::bad_alloc&) {
        return report("out of memory; use a smaller bitmap or fewer targets", 1);
    } catch (const std::exception& error) {
        return report(error.what(), 1);
    }
}
