// SPDX-License-Identifier: MIT
// Finds the code for several ranks: linked into the program, or in a module.
#include "distributed/ranks/ranks_module.h"

#include "kernels/host/module.h"

/// Defined by helioray::collectives; null in programs that do not link it.
extern "C" [[gnu::weak]] const helioray::detail::RanksModule* helioray_ranks_module();

namespace helioray::detail {

const RanksModule& ranks_module() {
    if (helioray_ranks_module != nullptr) return *helioray_ranks_module();
    using Entry = const RanksModule* (*)();
    static const auto entry =
        reinterpret_cast<Entry>(module_function("helioray_ranks", "helioray_ranks_module"));
    return *entry();
}

}  // namespace helioray::detail
