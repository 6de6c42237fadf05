// SPDX-License-Identifier: MIT
// Sorts records by heliostat, and runs fits in parallel.
#include "raytracer/solvers/reconstruction/reconstruct_field.h"

#include "kernels/host/parallel_for.h"
#include "scenario/files/byte_archive.h"
#include "scenario/files/error.h"
#include "scenario/types/bent_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace helioray::reconstruction {

namespace {

void check_heliostats(const Scenario& scenario, const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const Heliostat& heliostat : scenario.heliostats) all.push_back(heliostat.name);
    std::vector<Problem> problems;
    for (const std::string& name : names) {
        if (const auto index = scenario.find_heliostat(name)) {
            const std::string problem = find_rigidity_problem(*scenario.heliostats[*index].surface);
            if (!problem.empty())
                problems.push_back({fmt::format("heliostats/{}/surface", name),
                                    problem,
                                    "images are fitted with rigid mirrors of rectangles",
                                    ""});
            continue;
        }
        problems.push_back({"heliostats",
                            fmt::format("there is no heliostat '{}' in the scenario", name),
                            "",
                            suggest(name, all)});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

/// Throws InputError if no mirror has an image to fit.
void require_images(const std::vector<HeliostatImages>& images, ImageKind kind) {
    std::vector<Problem> problems;
    for (const HeliostatImages& heliostat : images) {
        if (!heliostat.fitted.empty()) return;
        for (const RejectedRecord& record : heliostat.rejected)
            problems.push_back(
                {fmt::format("{} {}", heliostat.name, record.record), record.reason, "", ""});
    }
    const ImageKind other = kind == ImageKind::flux ? ImageKind::flux_centered : ImageKind::flux;
    problems.push_back({"measured",
                        "no image can be fitted",
                        "",
                        fmt::format("name records with images, or try pictures of the kind {}",
                                    to_string(other))});
    throw InputError(std::move(problems));
}

/// Returns the splits among the test files and removes them from `test`.
PaintSplits splits_among(std::vector<std::string>& test) {
    PaintSplits splits;
    ReadLog log;
    std::erase_if(test, [&](const std::string& file) {
        if (std::filesystem::path(file).extension() != ".csv") return false;
        log.attempt([&] {
            if (splits.read(file, log)) return;
            throw InputError(Problem{file,
                                     "is not a split of PAINT's benchmark",
                                     "tables say which records are only predicted",
                                     "name one with the columns Id, HeliostatId and Split"});
        });
        return true;
    });
    log.throw_if_any();
    return splits;
}

}  // namespace

size_t FieldImages::num_fitted() const {
    size_t count = 0;
    for (const HeliostatImages& heliostat : heliostats) count += heliostat.fitted.size();
    return count;
}

FieldImages read_images(const Scenario& scenario, const FluxFiles& files) {
    check_heliostats(scenario, files.heliostats);
    std::vector<std::string> predicted = files.test;
    const PaintSplits splits = splits_among(predicted);
    FluxRecords measured =
        read_flux_records(scenario, files.measured, files.kind, files.heliostats, splits);
    FluxRecords test = read_flux_records(
        scenario, predicted, files.kind, files.heliostats, splits, PaintUse::predicted);
    std::map<std::string, HeliostatImages> by_name;
    const auto of = [&](const std::string& name) -> HeliostatImages& {
        HeliostatImages& heliostat = by_name[name];
        heliostat.name = name;
        return heliostat;
    };
    std::set<std::filesystem::path> held_out;
    for (FluxRecord& record : test.records) {
        held_out.insert(std::filesystem::weakly_canonical(record.file));
        of(scenario.heliostats[record.heliostat].name).test.push_back(std::move(record));
    }
    for (FluxRecord& record : measured.records) {
        if (held_out.contains(std::filesystem::weakly_canonical(record.file))) continue;
        HeliostatImages& heliostat = of(scenario.heliostats[record.heliostat].name);
        (record.predicted ? heliostat.test : heliostat.fitted).push_back(std::move(record));
    }
    // A record that is both measured and test is rejected once.
    std::set<std::pair<std::string, std::string>> known;
    for (FluxRecords* records : {&measured, &test}) {
        for (RejectedRecord& record : records->rejected) {
            if (known.emplace(record.heliostat, record.record).second)
                of(record.heliostat).rejected.push_back(std::move(record));
        }
    }
    for (const std::string& name : files.calibrated) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) continue;
        for (FluxRecord& record : found->second.fitted) record.by_motors.reset();
    }
    FieldImages images;
    images.elsewhere = measured.elsewhere;
    for (auto& [name, heliostat] : by_name) images.heliostats.push_back(std::move(heliostat));
    require_images(images.heliostats, files.kind);
    return images;
}

namespace {

HeliostatMirror fit_one(const Scenario& scenario,
                        const HeliostatImages& images,
                        const Scenario* truth,
                        int num_threads,
                        const StopCheck& stop) {
    HeliostatMirror mirror{images.name, images.rejected, {}, {}};
    if (images.fitted.empty()) return mirror;
    mirror.found = reconstruct_mirror(scenario, images.fitted, images.test, num_threads, stop);
    mirror.rejected.insert(
        mirror.rejected.end(), mirror.found->rejected.begin(), mirror.found->rejected.end());
    const auto known = truth != nullptr ? truth->find_heliostat(images.name) : std::nullopt;
    if (known) {
        const Surface& real = *truth->heliostats[*known].surface;
        mirror.slopes = {
            slope_difference(*scenario.heliostats[mirror.found->heliostat].surface, real),
            slope_difference(*mirror.found->surface, real)};
    }
    return mirror;
}

}  // namespace

std::vector<HeliostatMirror> reconstruct_field(const Scenario& scenario,
                                               const FieldImages& field,
                                               const Scenario* truth,
                                               int num_threads,
                                               const FieldRanks& ranks) {
    const std::vector<HeliostatImages>& images = field.heliostats;
    if (truth != nullptr && std::none_of(images.begin(), images.end(), [&](const auto& heliostat) {
            return truth->find_heliostat(heliostat.name).has_value();
        }))
        throw InputError(Problem{"truth",
                                 "the scenario has none of the heliostats that have images",
                                 "slopes are compared with those of its mirrors",
                                 "name the scenario that has them, or leave it out"});
    // Every rank has the heliostats rank, rank + count, ...
    const size_t own = (images.size() + ranks.count - 1 - ranks.rank) / ranks.count;
    std::vector<HeliostatMirror> mine(own);
    // A single heliostat is traced on all threads.
    const int inner = own == 1 ? num_threads : 1;
    parallel_for(own, num_threads, [&](size_t i) {
        mine[i] = fit_one(scenario, images[ranks.rank + i * ranks.count], truth, inner, ranks.stop);
    });
    if (ranks.count == 1) return mine;
    const std::vector<std::string> all = ranks.gather(bytes_of(mine));
    std::vector<HeliostatMirror> mirrors(images.size());
    for (size_t rank = 0; rank < all.size(); ++rank) {
        std::vector<HeliostatMirror> theirs = restore_mirrors(all[rank]);
        for (size_t i = 0; i < theirs.size(); ++i)
            mirrors.at(rank + i * ranks.count) = std::move(theirs[i]);
    }
    return mirrors;
}

std::string bytes_of(const std::vector<HeliostatMirror>& mirrors) {
    return helioray::bytes_of(mirrors);
}

std::vector<HeliostatMirror> restore_mirrors(const std::string& bytes) {
    return value_of<std::vector<HeliostatMirror>>(bytes);
}

Scenario with_mirrors(Scenario scenario, const std::vector<HeliostatMirror>& mirrors) {
    for (const HeliostatMirror& mirror : mirrors) {
        if (mirror.found)
            scenario.heliostats[mirror.found->heliostat].surface = mirror.found->surface;
    }
    return scenario;
}

}  // namespace helioray::reconstruction
