// SPDX-License-Identifier: MIT
// The ranks of a session for solvers of whole fields, which do not see the session.
#pragma once

#include "raytracer/job/field_ranks.h"
#include "raytracer/run/session.h"

#include <cstddef>
#include <string>

namespace helioray::run {

/// The session's ranks, and its wish to stop; the session must outlive them.
inline FieldRanks solver_ranks(Session& session) {
    DistributedEnvironment& ranks = session.environment();
    return {static_cast<std::size_t>(ranks.rank()),
            static_cast<std::size_t>(ranks.world_size()),
            [&ranks](const std::string& mine) { return ranks.all_gather_strings(mine); },
            [&session] { session.check_stop(); }};
}

/// What ranks compare before a solver begins: whether all of them have read the same. what:
/// "records".
inline PreparedRun solver_input(const std::string& what,
                                std::size_t heliostats,
                                std::size_t measurements) {
    PreparedRun run;
    run.settings = {{"heliostats", std::to_string(heliostats)},
                    {what, std::to_string(measurements)}};
    return run;
}

}  // namespace helioray::run
