// SPDX-License-Identifier: MIT
// Splits of PAINT's benchmark: records to fit, records to predict, and their heliostats.
#pragma once

#include "scenario/import/paint/paint.h"
#include "scenario/reader/read_log.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Use of a record of the benchmark.
enum class PaintUse {
    open,       ///< no split lists its heliostat
    fitted,     ///< its row contains "train"
    predicted,  ///< its row contains "test" or "validation"
    unlisted,   ///< a split lists its heliostat, but not the record
};

/// Reason for ignoring records with PaintUse::unlisted.
inline constexpr const char* kNotInSplit = "not in the split";

/// A record in a benchmark's folder, with its heliostat.
struct PaintSplitRecord {
    PaintFile record;     ///< heliostat and file
    bool fitted = false;  ///< the record is in `train`
};

/// Rows of all splits that were read.
class PaintSplits {
  public:
    /// Reads a table with the columns Id, HeliostatId and Split. Returns false for tables without
    /// one of these columns, which are ignored. Problems of rows go to the log: empty cells, words
    /// other than train, test and validation, and a record in two splits. Throws InputError when
    /// the file cannot be read.
    bool read(const std::filesystem::path& file, ReadLog& log);

    /// Returns the use of a record of this heliostat.
    PaintUse use_of(const std::string& heliostat, const std::string& id) const;

    /// Returns the heliostat of a record by the single row with its id; no value if there is none.
    std::optional<std::string> heliostat_of(const std::string& id) const;

    /// Returns the records of a folder that find_paint_benchmark() reads, for these heliostats
    /// only. The heliostat is that of the record's row, otherwise the one after which its file or a
    /// folder is named. Problems go to the log: records whose heliostat is unknown, and records
    /// whose row names another split than their folder.
    std::vector<PaintSplitRecord> records(const std::filesystem::path& folder,
                                          const std::vector<std::string>& heliostats,
                                          ReadLog& log) const;

  private:
    std::map<std::pair<std::string, std::string>, std::string> splits_;  // by heliostat and record
    std::set<std::string> heliostats_;                                   // heliostats with rows
    std::map<std::string, std::set<std::string>> heliostats_of_id_;
};

}  // namespace helioray
