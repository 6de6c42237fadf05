// SPDX-License-Identifier: MIT
// Calls of c10d whose errors become TransportErrors.
#pragma once

#include "distributed/transport.h"

#include <c10/util/Exception.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <string>

namespace helioray::detail {

/// Runs `call`; turns whatever it throws into a TransportError without a stack trace.
template <typename Call>
auto translated(Call&& call) {
    try {
        return call();
    } catch (const TransportError&) {
        throw;
    } catch (const c10::Error& error) {
        std::string text = error.what_without_backtrace();
        while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.pop_back();
        throw TransportError(text);
    } catch (const std::exception& error) {
        throw TransportError(error.what());
    }
}

/// The connection behind a Store.
struct Store::Handle {
    c10::intrusive_ptr<c10d::Store> store;
    int port = 0;
};

}  // namespace helioray::detail
