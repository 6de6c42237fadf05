// SPDX-License-Identifier: MIT
// Computes a table of efficiency as a program does: plans it, prepares the run, traces, and writes
// the result.
#pragma once

#include "raytracer/studies/efficiency/trace_efficiency.h"
#include "scenario/config/reader.h"
#include "scenario/types/choices.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace helioray {

/// Grids of sun positions with a name.
enum class EfficiencyGrid {
    solarpilot,  ///< solarpilot_rectangle()
    year,        ///< the grid of a year is traced, from which the entries are interpolated
};
/// Names of the grids.
inline const Choices<EfficiencyGrid> kEfficiencyGrids{{"solarpilot", EfficiencyGrid::solarpilot},
                                                      {"year", EfficiencyGrid::year}};

/// Returns the options of a table. grid: not set: the entries are traced. year: positions of grid
/// year, unused for others. azimuths, elevations: lists in radians; not set: those of the grid.
EfficiencyOptions efficiency_options(const std::optional<EfficiencyGrid>& grid,
                                     const YearPositions& year,
                                     const std::optional<std::vector<double>>& azimuths,
                                     const std::optional<std::vector<double>>& elevations,
                                     bool has_checks);

/// A table of a configuration, for the frame of run::Session.
class EfficiencyJob {
  public:
    /// output: result file (HDF5), beside which finished positions are stored.
    EfficiencyJob(EfficiencyOptions options, std::filesystem::path output)
        : options_(std::move(options)), output_(std::move(output)) {}

    /// Plans the table and prepares its run. Logs warnings about keys and suns. Throws InputError
    /// like plan_efficiency() and run::prepare().
    run::PreparedRun prepare(DraftRunConfig draft, run::PrepareOptions how);

    /// Traces the table, writes the result file and logs warnings. Returns the table on rank 0, and
    /// nullopt on the other ranks and for a shard. Collective. Throws like trace_efficiency().
    std::optional<EfficiencyTable> run(run::Session& session) const;

  private:
    EfficiencyOptions options_;
    std::filesystem::path output_;
    std::optional<EfficiencyPlan> plan_;  ///< the plan, once prepared
};

}  // namespace helioray
