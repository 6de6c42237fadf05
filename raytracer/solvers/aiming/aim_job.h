// SPDX-License-Identifier: MIT
// Chooses aim points as a program does: prepares the run, chooses, and writes the files.
#pragma once

#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "raytracer/solvers/aiming/aim_series.h"
#include "scenario/config/reader.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray::aiming {

/// Aim points chosen for one position of the sun or for a series.
struct ChosenAims {
    std::variant<AimingResult, AimSeries> found;  ///< Result of the one position, or of all steps
    RunConfig config;                             ///< Configuration of the run
    std::shared_ptr<const Scenario> scenario;     ///< Scenario of the run
    double seconds = 0.0;                         ///< Wall-clock time spent on choosing, s

    /// Returns the series; null for one position of the sun.
    const AimSeries* series() const { return std::get_if<AimSeries>(&found); }
    /// Returns the result that pictures show: that of the one position or of the strongest step.
    const AimingResult& shown() const;
    /// Returns a message about violated limits or fractions; empty if there is no violation.
    std::string violation() const;
    /// Writes the table of aim points, see write_aims().
    void write_table(const std::filesystem::path& path) const;
};

/// Files of a run that chooses aim points. Empty paths are not written.
struct AimFiles {
    /// Table of the aim points (CSV). The finished steps of a series are stored beside it.
    std::filesystem::path table;
    std::filesystem::path result;               ///< Result of the verifying runs (HDF5)
    std::vector<std::filesystem::path> others;  ///< Files that the program itself writes
};

/// A run that chooses aim points, for the frame of run::Session.
class AimJob {
  public:
    /// `files` are written by run().
    explicit AimJob(AimFiles files) : files_(std::move(files)) {}

    /// Prepares the run. The files of the configuration's section output are not written. Throws
    /// InputError like check_aim_outputs(), run::prepare() and check_aim_series().
    run::PreparedRun prepare(DraftRunConfig draft, run::PrepareOptions how) const;

    /// Chooses the aim points and writes the files. write_others: called on rank 0 to write further
    /// files, before the finished steps are removed. Returns the aim points on rank 0 and nullopt
    /// on the other ranks. Collective. Throws like aim_field() and aim_series().
    std::optional<ChosenAims> run(
        run::Session& session,
        const std::function<void(const ChosenAims&)>& write_others = {}) const;

  private:
    AimFiles files_;
};

}  // namespace helioray::aiming
