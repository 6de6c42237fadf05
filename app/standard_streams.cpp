// SPDX-License-Identifier: MIT
#include "app/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <initializer_list>

namespace helioray::app {

void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is this one: those below are open by now.
        if (::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY) < 0) return;
    }
}

bool flush_stdout() {
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace helioray::app
