// SPDX-License-Identifier: MIT
// Start of a child process. The parent prepares everything before fork; the child only makes system
// calls.
#include "distributed/launch/child_process.h"

#include "distributed/launch/descriptor.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

extern char** environ;
#if !__GLIBC_PREREQ(2, 32)
/// Defined in cmake/wheel/glibc_2_31.cpp.
extern "C" const char* sigabbrev_np(int signal);
#endif

namespace helioray::detail {
namespace {

std::vector<char*> make_pointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> merge_environment(const std::map<std::string, std::string>& changes) {
    std::vector<std::string> result;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string text = *entry;
        if (!changes.count(text.substr(0, text.find('=')))) result.push_back(text);
    }
    for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
    return result;
}

/// Runs in the child. Another thread of the parent may have held any lock, so only
/// async-signal-safe calls are allowed here.
[[noreturn]] void become_program(const char* program,
                                 char* const* argv,
                                 char* const* envp,
                                 int output,
                                 int input,
                                 int failure,
                                 pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE}) ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (output >= 0) {
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
    }
    if (input >= 0) ::dup2(input, STDIN_FILENO);
    ::execve(program, argv, envp);
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(failure, &error, sizeof(error));
    ::_exit(127);
}

}  // namespace

pid_t start_child(const ChildOptions& options) {
    auto arguments = options.arguments;
    auto environment = merge_environment(options.environment);
    const auto argv = make_pointers(arguments);
    const auto envp = make_pointers(environment);

    Descriptor output, input;
    if (!options.output_file.empty()) {
        output = Descriptor(
            ::open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (output.get() < 0)
            throw std::runtime_error(options.output_file +
                                     " cannot be written: " + ::strerror(errno));
    }
    if (options.empty_input) input = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));

    // execve closes the pipe if it succeeds; otherwise the child writes errno into it.
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("a pipe for the child process cannot be created: ") +
                                 ::strerror(errno));
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0)
        become_program(options.program.c_str(),
                       argv.data(),
                       envp.data(),
                       output.get(),
                       input.get(),
                       writing.get(),
                       parent);
    const int fork_error = errno;
    writing.reset();
    if (child < 0)
        throw std::runtime_error(std::string("a child process cannot be started: ") +
                                 ::strerror(fork_error));

    int error = 0;
    ssize_t got = 0;
    do {
        got = ::read(reading.get(), &error, sizeof(error));
    } while (got < 0 && errno == EINTR);
    if (got == static_cast<ssize_t>(sizeof(error))) {
        ::waitpid(child, nullptr, 0);
        throw std::runtime_error(options.program + " cannot be executed: " + ::strerror(error));
    }
    return child;
}

std::string signal_name(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name ? std::string("SIG") + name : std::to_string(signal);
}

}  // namespace helioray::detail
