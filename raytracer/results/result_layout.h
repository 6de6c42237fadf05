// SPDX-License-Identifier: MIT
// Parts of the files of runs, series and years. Internal to their readers and writers.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/files/columns.h"
#include "scenario/files/hdf5/file.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace helioray {

/// Writes an HDF5 file completely or not at all, under a temporary name until it is complete.
/// Memory does not grow with the file. Throws std::runtime_error naming the file, also for a full
/// disk.
void write_image(const std::filesystem::path& path,
                 const std::function<void(hdf5::Group root)>& fill);

/// Throws std::runtime_error unless the condition holds.
inline void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("the result cannot be written: " + what);
}

/// Writes the attributes about its origin that every file of the program has: version,
/// configuration, scenario, seed, fingerprint. Throws InputError if HDF5 fails.
void write_origin(hdf5::Group& root, const Provenance& provenance);

/// Reads the attributes of write_origin(); the other members keep their defaults. Throws InputError
/// for missing attributes and for attributes of another kind.
Provenance read_origin(const hdf5::Group& root);

/// Returns the attributes about the origin that every file of the program has, except for the seed.
const Columns<Provenance>& origin_columns();

/// Returns the attributes about processes, device and sun, which runs and series have beside those
/// of write_origin().
const Columns<Provenance>& process_columns();

/// Writes the root attributes of runs and series: format, origin, processes, device, sun.
void write_provenance(hdf5::Group& root, const Provenance& provenance);

/// Reads the attributes of write_provenance(). Throws InputError for missing attributes and for
/// attributes of another kind.
Provenance read_provenance(const hdf5::Group& root);

/// Writes all of a single run.
void fill_result(hdf5::Group root, const RunResult& result);

/// Writes all of one step of a series: see write_series_part().
void fill_series_part(hdf5::Group root, const RunResult& result, const SeriesStep& step);

/// Throws an InputError that names the place and states that HelioRay did not write this data.
[[noreturn]] void refuse_result(const std::string& where,
                                const std::string& what,
                                const std::string& why = {});

/// Reads the numbers of a dataset, row by row. Throws InputError for another shape.
std::vector<double> read_shaped(const hdf5::Group& group,
                                const std::string& name,
                                const hdf5::Shape& shape);

/// Reads the texts of a dataset. Throws InputError unless there are `count` of them.
std::vector<std::string> read_texts(const hdf5::Group& group,
                                    const std::string& name,
                                    std::size_t count);

/// Throws InputError for another format or version.
void check_result_format(const hdf5::Group& root);

/// Returns the number of steps of a series; 0 for a single run.
std::size_t count_steps(const hdf5::Group& root);

/// Reads one step of a result file: all data of a single run, or one row of every dataset of a
/// series.
class StepRows {
  public:
    /// Creates a reader for a single run.
    static StepRows whole() { return StepRows(std::nullopt, 0); }
    /// Creates a reader for one step of a series. Throws InputError if the file has no such step.
    static StepRows step(const hdf5::Group& root, std::size_t step);

    bool is_one_of_many() const { return step_.has_value(); }

    /// Returns the shape without the axis of the steps. Throws InputError if there is no such axis.
    hdf5::Shape shape(const hdf5::Dataset& dataset) const;
    template <typename T>
    std::vector<T> read(const hdf5::Dataset& dataset) const {
        shape(dataset);
        return step_ ? dataset.read_rows<T>(*step_, 1) : dataset.read<T>();
    }
    /// Returns the options to read the columns of the step.
    ColumnReading reading() const { return {step_, num_steps_, {}}; }

  private:
    StepRows(std::optional<std::size_t> step, std::size_t num_steps)
        : step_(step), num_steps_(num_steps) {}

    std::optional<std::size_t> step_;
    std::size_t num_steps_;
};

/// Returns the layout of maps of single heliostats [N, H, W] in a file: one by one, in chunks of at
/// most 1 MiB.
hdf5::Storage heliostat_map_storage(const hdf5::Shape& shape);

/// Reads the columns of a table into as many heliostats as the file has. Matrices are computed from
/// the poses of a series.
void read_heliostat_columns(std::vector<HeliostatResult>& heliostats,
                            const hdf5::Group& group,
                            const StepRows& rows,
                            const Columns<HeliostatResult>& table);

}  // namespace helioray
