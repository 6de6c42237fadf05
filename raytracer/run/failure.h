// SPDX-License-Identifier: MIT
// How a run ends that is not completed.
#pragma once

#include "scenario/error.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace helioray::run {

/// The program asked for the end (Options::stop). what() is its reason, and after it another rank's
/// failure where one was known before.
class Stopped : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A run could not be prepared on at least one of several ranks. Every rank throws it with the same
/// problems, so that a program may print them on rank 0 alone.
class PreparationError : public InputError {
  public:
    using InputError::InputError;
};

/// The message of an error for users; what to do when memory is exhausted.
std::string readable_message(const std::exception& error);

}  // namespace helioray::run
