// SPDX-License-Identifier: MIT
// Splits of PAINT's benchmark: which records are fitted, which are predicted, and whose they are.
#pragma once

#include "scenario/paint/paint.h"
#include "scenario/reader/read_log.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// The purpose of a record of the benchmark.
enum class PaintUse {
    open,       ///< no split lists its heliostat
    fitted,     ///< its row says "train"
    predicted,  ///< its row says "test" or "validation"
    unlisted,   ///< a split lists its heliostat, but not the record
};

/// Why a record with PaintUse::unlisted does not count.
inline constexpr const char* kNotInSplit = "not in the split";

/// A record in a benchmark's folder, with its heliostat.
struct PaintSplitRecord {
    PaintFile record;     ///< heliostat and file
    bool fitted = false;  ///< it lies in `train`
};

/// The rows of all splits that were read.
class PaintSplits {
  public:
    /// Reads a table with the columns Id, HeliostatId and Split. Returns false for tables without
    /// one of these columns, which are left alone. Problems of rows go into the log: empty cells,
    /// words other than train, test and validation, a record that is in two splits. Throws
    /// InputError when the file cannot be read.
    bool read(const std::filesystem::path& file, ReadLog& log);

    /// Returns the purpose of a record of this heliostat.
    PaintUse use_of(const std::string& heliostat, const std::string& id) const;

    /// The heliostat of a record, by the one row that has its id; nothing without one.
    std::optional<std::string> heliostat_of(const std::string& id) const;

    /// The records of a folder that find_paint_benchmark() reads, for these heliostats; those of
    /// others are left out. The heliostat is that of the record's row, else the one that its file
    /// or a folder is called after. Problems go into the log: records whose heliostat nothing
    /// tells, records whose row says another split than their folder.
    std::vector<PaintSplitRecord> records(const std::filesystem::path& folder,
                                          const std::vector<std::string>& heliostats,
                                          ReadLog& log) const;

  private:
    std::map<std::pair<std::string, std::string>, std::string> splits_;  // by heliostat and record
    std::set<std::string> heliostats_;                                   // with rows
    std::map<std::string, std::set<std::string>> heliostats_of_id_;
};

}  // namespace helioray
