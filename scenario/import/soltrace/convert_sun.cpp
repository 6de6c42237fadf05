// SPDX-License-Identifier: MIT
// Converts the sun of a project.
#include "scenario/import/soltrace/conversion.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::soltrace {

namespace {

SunShape sun_shape(const SunBlock& sun, const Findings& findings) {
    if (sun.shape == 'g') return GaussianShape{sun.sigma * 1e-3};
    if (sun.shape == 'p') return PillboxShape{sun.half_width * 1e-3};
    if (sun.shape != 'd') {
        findings.problem(sun.line,
                         fmt::format("sun shape '{}' is unknown", sun.shape),
                         "known are g, p and d",
                         "");
        return CollimatedShape{};
    }
    TableShape table;
    for (const auto& [angle, intensity] : sun.table) {
        if (angle < 0.0 || intensity < 0.0 ||
            (!table.angle.empty() && angle * 1e-3 <= table.angle.back())) {
            findings.problem(sun.line,
                             fmt::format("the sun's table is not in order at {} mrad", angle),
                             "angles ascend from 0, intensities are not negative",
                             "correct the table");
            return CollimatedShape{};
        }
        table.angle.push_back(angle * 1e-3);
        table.radiance.push_back(intensity);
    }
    const bool shines = std::any_of(
        table.radiance.begin(), table.radiance.end(), [](double value) { return value > 0.0; });
    if (table.angle.size() < 2 || !shines) {
        findings.problem(sun.line,
                         fmt::format("the sun's table of {} rows is no shape", table.angle.size()),
                         "it needs two rows and light",
                         "choose shape g or p, or add rows");
        return CollimatedShape{};
    }
    if (table.angle.front() > 0.0) {
        table.angle.insert(table.angle.begin(), 0.0);
        table.radiance.insert(table.radiance.begin(), table.radiance.front());
        findings.remark(sun.line,
                        "sun's table begins above 0: its first intensity taken for the centre");
    }
    return table;
}

}  // namespace

void convert_sun(const Project& project,
                 const Options& options,
                 const Findings& findings,
                 Import& import) {
    const SunBlock& sun = project.sun;
    import.run.sun.dni = options.dni;
    findings.remark(sun.line, fmt::format("input files have no DNI: {} W/m2 assumed", options.dni));
    import.scenario.light_sources = {{ "sun", 10, 0.0, sun_shape(sun, findings) }};
    const SunShape& shape = import.scenario.light_sources.front().shape;
    const auto* gauss = std::get_if<GaussianShape>(&shape);
    const auto* disk = std::get_if<PillboxShape>(&shape);
    if ((gauss && !(gauss->sigma > 0.0)) || (disk && !(disk->half_angle > 0.0))) {
        findings.remark(sun.line, "sun of width 0: parallel light");
        import.scenario.light_sources.front().shape = CollimatedShape{};
    }
    if (project.trace && !project.trace->has_sun_shape) {
        findings.remark(project.trace->line, "SUNSHAPE 0: the sun's light is parallel");
        import.scenario.light_sources.front().shape = CollimatedShape{};
    }
    if (sun.shape != 'd' && !sun.table.empty())
        findings.remark(sun.line,
                        fmt::format("the sun's table of {} rows is not used, as in SolTrace: its "
                                    "shape is '{}'",
                                    sun.table.size(),
                                    sun.shape));
    if (sun.point_source) {
        findings.problem(sun.line,
                         "the sun is a point source",
                         "light of a run is that of a distant sun",
                         "set PTSRC to 0");
        return;
    }
    if (!sun.from_time && norm(sun.position) == 0.0) {
        findings.problem(sun.line + 1,
                         "the sun's position is the origin",
                         "it has no direction",
                         "give a direction");
        return;
    }
    const Vec3 to_sun = world_frame(options.up).direction(sun_direction(sun));
    if (to_sun[2] <= 0.0) {
        findings.problem(sun.line + 1,
                         fmt::format("the sun stands below the horizon, in direction ({:.4f}, "
                                     "{:.4f}, {:.4f}) east, north, up",
                                     to_sun[0],
                                     to_sun[1],
                                     to_sun[2]),
                         "nothing can be traced",
                         options.up == UpAxis::z ? "if the project's y axis points up, give --up y"
                                                 : "check the sun");
        return;
    }
    if (sun.from_time)
        findings.remark(sun.line + 1, "sun from latitude, day and hour by SolTrace's formulas");
    import.run.sun.position = SunIncidentDirection{scaled(-1.0, to_sun)};
}

}  // namespace helioray::soltrace
