// SPDX-License-Identifier: MIT
// Whole texts of messages, in one golden file for each subject. Tests name the place and the kind
// of a problem themselves, so that a better sentence only changes the golden file.
#pragma once

#include <string>
#include <vector>

namespace helioray::test {

/// Finds the line of `text` that contains all words, and compares the whole line, or the whole
/// text if no words are given, with the entry `name` of tests/golden/messages/<subject>.txt.
/// scripts/messages writes these files again. An entry that is missing fails too.
void check_message(const std::string& subject,
                   const std::string& name,
                   const std::string& text,
                   const std::vector<std::string>& words = {});

}  // namespace helioray::test
