// SPDX-License-Identifier: MIT
// Adds the receivers of a configuration to a scenario.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <memory>

namespace helioray {

/// Adds the receivers of a configuration, with their surfaces, to a scenario. Throws InputError for
/// names that the scenario has already and for receivers that break the rules of
/// check_receivers().
void add_receivers(const RunConfig& config, Scenario& scenario);

/// Adds a receiver built by make_receiver() without checks.
void add_receiver(const std::string& name, const ReceiverConfig& receiver, Scenario& scenario);

/// Returns the scenario with the receivers of the configuration: itself if there are none.
std::shared_ptr<const Scenario> with_receivers(const RunConfig& config,
                                               std::shared_ptr<const Scenario> scenario);

}  // namespace helioray
