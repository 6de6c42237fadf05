// SPDX-License-Identifier: MIT
// Messages of failures.
#include "raytracer/run/failure.h"

#include <new>

namespace helioray::run {

std::string readable_message(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
        return "out of memory; use a smaller bitmap or fewer targets";
    return error.what();
}

}  // namespace helioray::run
