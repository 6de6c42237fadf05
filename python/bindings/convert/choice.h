// SPDX-License-Identifier: MIT
// Converts words to the values that they represent.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/choices.h"

#include <string>

namespace helioray::python {

/// Returns the value of a word. Throws InputError with the place `where` and the nearest word if
/// there is none.
template <typename T>
T find_choice(const std::string& where, const std::string& word, const Choices<T>& choices) {
    for (const auto& [known, value] : choices)
        if (known == word) return value;
    throw InputError(
        Problem{where, "'" + word + "' is unknown", "", suggest(word, list_words(choices))});
}

}  // namespace helioray::python
