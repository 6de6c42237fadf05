// SPDX-License-Identifier: MIT
// Reads the rows of splits, and finds the records that they list.
#include "scenario/import/paint/splits.h"

#include "scenario/files/error.h"
#include "scenario/inputs/column_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace helioray {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 3> kSplits{"train", "test", "validation"};

}  // namespace

bool PaintSplits::read(const fs::path& file, ReadLog& log) {
    std::vector<Problem> problems;
    const ColumnTable table(file, {"Id", "HeliostatId", "Split"}, {}, problems);
    if (!table.has("Id") || !table.has("HeliostatId") || !table.has("Split")) return false;
    for (const Problem& problem : problems)
        log.problem(problem.where, problem.what, problem.why, problem.advice);
    if (!table.other_columns().empty()) {
        log.warn(
            file.string(),
            fmt::format("columns that are not used: {}", fmt::join(table.other_columns(), ", ")));
    }
    for (size_t i = 0; i < table.num_rows(); ++i) {
        const std::string &id = table.text(i, "Id"), &heliostat = table.text(i, "HeliostatId"),
                          &split = table.text(i, "Split");
        if (id.empty() || heliostat.empty() || split.empty()) {
            log.problem(table.place(i), "is not a row of Id, HeliostatId and Split");
            continue;
        }
        if (std::find(kSplits.begin(), kSplits.end(), split) == kSplits.end()) {
            log.problem(table.place(i, "Split"),
                        fmt::format("there is no split '{}'", split),
                        "records of train are fitted, the others predicted",
                        suggest(split, {kSplits.begin(), kSplits.end()}));
            continue;
        }
        const auto [before, is_new] = splits_.emplace(std::pair{heliostat, id}, split);
        if (!is_new && before->second != split) {
            log.problem(table.place(i, "Split"),
                        fmt::format("record '{}' of '{}' is in '{}' here, and in '{}' before",
                                    id,
                                    heliostat,
                                    split,
                                    before->second),
                        "a record belongs to one split",
                        "name one split of the benchmark");
            continue;
        }
        heliostats_.insert(heliostat);
        heliostats_of_id_[id].insert(heliostat);
    }
    return true;
}

PaintUse PaintSplits::use_of(const std::string& heliostat, const std::string& id) const {
    if (!heliostats_.contains(heliostat)) return PaintUse::open;
    const auto row = splits_.find({heliostat, id});
    if (row == splits_.end()) return PaintUse::unlisted;
    return row->second == "train" ? PaintUse::fitted : PaintUse::predicted;
}

std::optional<std::string> PaintSplits::heliostat_of(const std::string& id) const {
    const auto rows = heliostats_of_id_.find(id);
    if (rows == heliostats_of_id_.end() || rows->second.size() != 1) return std::nullopt;
    return *rows->second.begin();
}

std::vector<PaintSplitRecord> PaintSplits::records(const fs::path& folder,
                                                   const std::vector<std::string>& heliostats,
                                                   ReadLog& log) const {
    std::vector<PaintSplitRecord> found;
    size_t unknown = 0;
    std::string first;
    for (const PaintBenchmarkFile& file : find_paint_benchmark(folder)) {
        std::optional<std::string> heliostat = heliostat_of(file.id);
        if (!heliostat) {
            try {
                heliostat = paint_heliostat_of(file.file, heliostats);
            } catch (const InputError&) {
                if (unknown++ == 0) first = file.file.string();
                continue;
            }
        }
        if (std::find(heliostats.begin(), heliostats.end(), *heliostat) == heliostats.end())
            continue;
        const auto row = splits_.find({*heliostat, file.id});
        if (row != splits_.end() && row->second != file.split) {
            log.problem(file.file.string(),
                        fmt::format("lies in '{}', its row says '{}'", file.split, row->second),
                        "a record belongs to one split",
                        "name the split that these folders were downloaded by");
            continue;
        }
        found.push_back({{*heliostat, file.file}, file.split == "train"});
    }
    if (unknown > 0) {
        log.problem(
            folder.string(),
            fmt::format("nothing tells the heliostat of {} record(s), '{}' first", unknown, first),
            "files of a benchmark do not name it",
            "name the table of its split (Id, HeliostatId, Split) by --test");
    }
    return found;
}

}  // namespace helioray
