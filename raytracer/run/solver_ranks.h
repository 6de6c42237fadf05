// SPDX-License-Identifier: MIT
// Gives solvers of whole fields access to the ranks of a session.
#pragma once

#include "raytracer/run/session.h"
#include "raytracer/tracing/job/field_ranks.h"

#include <cstddef>
#include <string>

namespace helioray::run {

/// Returns the session's ranks with a check for requests to stop. The session must outlive them.
inline FieldRanks solver_ranks(Session& session) {
    DistributedEnvironment& ranks = session.environment();
    return {static_cast<std::size_t>(ranks.rank()),
            static_cast<std::size_t>(ranks.world_size()),
            [&ranks](const std::string& mine) { return ranks.all_gather_strings(mine); },
            [&session] { session.check_stop(); }};
}

/// Returns the settings by which ranks verify, before a solver begins, that all have read the same
/// input. what: kind of the input, "records".
inline PreparedRun solver_input(const std::string& what,
                                std::size_t heliostats,
                                std::size_t measurements) {
    PreparedRun run;
    run.settings = {{"heliostats", std::to_string(heliostats)},
                    {what, std::to_string(measurements)}};
    return run;
}

}  // namespace helioray::run
