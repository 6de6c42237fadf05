// SPDX-License-Identifier: MIT
// Standard input, output and error as the shell left them: closed, full, or well.
#pragma once

namespace helioray::app {

/// Opens /dev/null where a standard stream is closed. Otherwise the next file that is opened would
/// take its place, and messages would end up in it.
void open_standard_streams();

/// Sends to stdout what still waits. False when something printed there was lost (disk full);
/// errno tells why.
bool flush_stdout();

}  // namespace helioray::app
