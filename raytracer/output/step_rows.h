// SPDX-License-Identifier: MIT
// One step of a result file: all of a single run's, one row of everything of a series'. Internal to
// the readers.
#pragma once

#include "raytracer/output/result_datasets.h"
#include "raytracer/result.h"
#include "scenario/hdf5/group.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Throws InputError for another format or version.
void check_result_format(const hdf5::Group& root);

/// Steps of a series; 0 for a single run.
std::size_t num_steps_of(const hdf5::Group& root);

/// The attributes at the root of single runs and series.
Provenance read_provenance(const hdf5::Group& root);

/// Reads what belongs to one step.
class StepRows {
  public:
    /// The only step of a single run.
    static StepRows whole() { return StepRows(std::nullopt, 0); }
    /// A step of a series. Throws InputError where the file has no such step.
    static StepRows step(const hdf5::Group& root, std::size_t step);

    bool is_one_of_many() const { return step_.has_value(); }

    /// Shape without the axis of the steps.
    hdf5::Shape shape(const hdf5::Dataset& dataset) const;
    template <typename T>
    std::vector<T> read(const hdf5::Dataset& dataset) const {
        shape(dataset);
        return step_ ? dataset.read_rows<T>(*step_, 1) : dataset.read<T>();
    }
    /// Attributes of a single run are datasets of a series.
    double number(const hdf5::Group& group, const std::string& name) const;
    Vec3 vector(const hdf5::Group& group, const std::string& name) const;

  private:
    StepRows(std::optional<std::size_t> step, std::size_t num_steps)
        : step_(step), num_steps_(num_steps) {}
    std::vector<double> numbers(const hdf5::Group& group,
                                const std::string& name,
                                std::size_t count) const;

    std::optional<std::size_t> step_;
    std::size_t num_steps_;
};

/// What write_standing() wrote, into heliostats that are there already.
void read_standing(std::vector<HeliostatResult>& heliostats,
                   const hdf5::Group& group,
                   const StepRows& rows);

}  // namespace helioray
