// SPDX-License-Identifier: MIT
// The run of one case: traces its scenes, collects its rows, watches the energy balance.
#pragma once

#include "raytracer/result.h"
#include "raytracer/trace_job.h"
#include "raytracer/validation/row.h"
#include "raytracer/validation/scene.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray::validation {

/// How much work a validation does.
struct Effort {
    int64_t rays = 1'000'000;  ///< per scene, of all its heliostats together
    uint64_t seed = 42;
    bool full = false;  ///< the long tier: narrow tolerances of published figures, whole fields
    TraceControl control;
};

/// Largest violations of what must hold in every run.
struct Identities {
    int64_t scenes = 0;
    double energy_gap =
        0.0;               ///< |solar power - sum of the other terms| / solar power, worst mirror
    double map_gap = 0.0;  ///< |sum of flux * pixel area - power| / power, worst target
};

/// Traces a scene with a given number of rays. Throws InputError for what this version cannot do.
RunResult trace_scene(Scene scene, int64_t rays, uint64_t seed, const TraceControl& control);

class Study {
  public:
    Study(const Effort& effort, std::string id, std::string title, Identities& identities);

    const Effort& effort() const { return effort_; }
    /// Rays that trace() uses for each heliostat of a scene of so many.
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
    bool only_full = false;  ///< whole fields
};

}  // namespace helioray::validation
