// SPDX-License-Identifier: MIT
// Runs one case: traces its scenes, compares numbers, checks the energy balance.
#pragma once

#include "app/validation/scene.h"
#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/job/trace_job.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace helioray::validation {

/// A compared quantity; all numbers are in `unit`.
struct Row {
    std::string id;        ///< id of the case: "B1.1.2"
    std::string title;     ///< title of the case
    std::string quantity;  ///< "absorbed power"
    std::string unit;      ///< empty for a pure number
    double reference = 0.0;
    std::string source;  ///< source of the reference: "closed form", "Wang 2020, Solstice"
    double ours = 0.0;
    double std_error = 0.0;  ///< standard error of `ours`; 0 if it is computed without rays
    double tolerance = 0.0;  ///< largest |ours - reference| that passes
    std::string note;        ///< reason for a missing value; a row with a note never passes

    /// Returns true if |ours - reference| is within the tolerance; false for NaN and rows with a
    /// note.
    bool pass() const;
};

/// Returns a table with one line per row and a last line that counts them.
std::string rows_table(const std::vector<Row>& rows);

/// Returns {"passed": n, "failed": n, "rows": [{"id": ..., "pass": ...}, ...]}; NaN becomes null.
nlohmann::json rows_json(const std::vector<Row>& rows);

/// Returns true if there are rows and all of them pass.
bool all_pass(const std::vector<Row>& rows);

/// Amount of work for a validation.
struct Effort {
    int64_t rays = 1'000'000;  ///< number per scene, for all its heliostats together
    uint64_t seed = 42;
    /// Long version with narrow tolerances of published figures and whole fields.
    bool full = false;
    TraceControl control;
};

/// Largest violations of the identities that hold in every run.
struct Identities {
    int64_t scenes = 0;
    double energy_gap =
        0.0;               ///< |solar power - sum of the other terms| / solar power, worst mirror
    double map_gap = 0.0;  ///< |sum of flux * pixel area - power| / power, worst target
};

/// Traces a scene with a given number of rays. Throws InputError for features that this version
/// does not support.
RunResult trace_scene(Scene scene, int64_t rays, uint64_t seed, const TraceControl& control);

class Study {
  public:
    Study(const Effort& effort, std::string id, std::string title, Identities& identities);

    const Effort& effort() const { return effort_; }
    /// Returns the number of rays that trace() uses for each of the heliostats of a scene.
    int64_t rays_per_heliostat(size_t heliostats) const;

    RunResult trace(const Scene& scene);

    /// Adds a row of this case.
    void compare(const std::string& quantity,
                 const std::string& unit,
                 double reference,
                 const std::string& source,
                 double ours,
                 double std_error,
                 double tolerance);

    const std::vector<Row>& rows() const { return rows_; }

  private:
    Effort effort_;
    std::string id_;
    std::string title_;
    Identities& identities_;
    std::vector<Row> rows_;
};

/// A published or closed-form case.
struct Case {
    std::string id;
    std::string title;
    std::function<void(Study&)> run;
    bool only_full = false;  ///< only in the full version: whole fields
};

/// Returns the usual tolerance: four standard errors and a relative model error.
inline double four_sigma(double std_error, double relative, double reference) {
    return 4.0 * std_error + relative * (reference < 0.0 ? -reference : reference);
}

/// Returns the relative tolerance of published powers. The tools agree to about 0.1 %, which few
/// rays cannot resolve.
inline double published_tolerance(const Effort& effort) {
    return effort.full ? 1e-3 : 3e-3;
}

/// Relative deviation of a 10 m mirror at 500 m from closed forms for an infinitely small one.
inline constexpr double kFiniteMirror = 1e-4;

}  // namespace helioray::validation
