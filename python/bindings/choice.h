// SPDX-License-Identifier: MIT
// Words that stand for one of several values.
#pragma once

#include "scenario/config/choices.h"
#include "scenario/files/error.h"

#include <string>

namespace helioray::python {

/// The value of a word. Throws InputError at `where` with the nearest word.
template <typename T>
T choice_of(const std::string& where, const std::string& word, const Choices<T>& choices) {
    for (const auto& [known, value] : choices)
        if (known == word) return value;
    throw InputError(
        Problem{where, "'" + word + "' is unknown", "", suggest(word, words_of(choices))});
}

}  // namespace helioray::python
