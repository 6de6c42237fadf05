// SPDX-License-Identifier: MIT
// Parts of the conversion, one per subject. Internal to convert().
#pragma once

#include "scenario/import/field/field_template.h"
#include "scenario/import/solarpilot/spt_file.h"
#include "scenario/reader/read_log.h"
#include "scenario/types/run_config.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace helioray::solarpilot {

/// A word of SolarPILOT with its meaning.
template <typename Value>
using Words = std::vector<std::pair<std::string, Value>>;

/// Variables of one instance of a component. A variable that the file does not have gets
/// SolarPILOT's default, with a remark; problems go to the log.
class Instance {
  public:
    Instance(const Project& project, std::string component, int number, ReadLog& log)
        : project_(project), component_(std::move(component)), number_(number), log_(log) {}

    /// Returns a finite number. `unit`: the unit that the variable must have if the file gives one;
    /// "none" for a pure number.
    double number(const std::string& name, const std::string& unit, double fallback) const;
    /// Returns a number from `lowest` to `highest`.
    double number(const std::string& name,
                  const std::string& unit,
                  double fallback,
                  double lowest,
                  double highest) const;
    /// Returns a length above 0, metres.
    double length(const std::string& name, double fallback) const;
    /// Returns a whole number from `lowest` to `highest`.
    int count(const std::string& name, int fallback, int lowest, int highest) const;
    bool flag(const std::string& name, bool fallback) const;
    std::string text(const std::string& name, const std::string& fallback) const;
    /// Returns the numbers of a table, row by row: "1,2;3,4".
    std::vector<std::vector<double>> table(const std::string& name) const;

    /// Returns the meaning of a word; the first pair is the default.
    template <typename Value>
    Value choice(const std::string& name, const Words<Value>& words) const {
        const std::string word = text(name, words.front().first);
        for (const auto& [known, value] : words)
            if (word == known) return value;
        std::vector<std::string> known;
        for (const auto& [name_of_word, value] : words) known.push_back(name_of_word);
        refuse(name, "'" + word + "'", suggest(word, known));
        return words.front().second;
    }

    bool has(const std::string& name) const {
        return project_.find(component_, number_, name) != nullptr;
    }
    /// Reports a value that cannot be represented or is not valid.
    void refuse(const std::string& name, const std::string& what, const std::string& advice) const;
    void remark(const std::string& name, const std::string& text) const;
    /// Returns the line of a variable, 0 if the file does not have it.
    int line(const std::string& name) const;
    int instance_number() const { return number_; }

  private:
    const Variable* find(const std::string& name, const std::string& fallback) const;
    std::string where(const std::string& name) const;

    const Project& project_;
    std::string component_;
    int number_ = 0;
    ReadLog& log_;
};

/// A project, and the place for its problems and remarks.
struct Source {
    const Project& project;  ///< the project
    ReadLog& log;            ///< problems and remarks

    /// Returns the variables of an instance of a component.
    Instance of(const std::string& component, int number = 0) const {
        return {project, component, number, log};
    }
};

/// Adds the enabled receivers to the template. Returns their peak fluxes, W/m2, in the same order.
std::vector<double> convert_receivers(const Source& source, FieldTemplate& field);

/// Optics of the mirrors of a template.
struct MirrorOptics {
    double reflectivity = 0.0;  ///< reflectivity times soiling times mirrored share of the area
    double slope_error = 0.0;   ///< width of the normals about each tangent, radians
    double specularity_error = 0.0;  ///< width of the reflected rays about each axis, radians
    bool is_pillbox = false;         ///< errors are pillboxes, otherwise Gaussian

    /// Returns the distribution of an error of this width.
    ErrorShape error_shape(double width) const;
};

/// Returns the heliostat of a template. `field`: site and tower.
HeliostatTemplate convert_heliostat(const Source& source,
                                    const Instance& from,
                                    const FieldTemplate& field);

/// Returns the optics of a template.
MirrorOptics convert_optics(const Instance& from);

/// Returns the shape of the sun.
SunShape convert_sun_shape(const Source& source);

/// Returns an hour of a day of the year 2011, which SolarPILOT uses for all dates, in ISO 8601.
/// `hour`: of the local standard time, 0 to 24.
std::string time_text(const Source& source, int day_of_year, double hour);

/// Sets position and strength of the sun, and the attenuation of the air. `site`: place of the
/// plant.
void convert_conditions(const Source& source, const GeodeticPosition& site, RunConfig& run);

}  // namespace helioray::solarpilot
