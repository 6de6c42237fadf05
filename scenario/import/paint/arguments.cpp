// SPDX-License-Identifier: MIT
// Finds files and folders of the PAINT database on the command line.
#include "scenario/import/paint/arguments.h"

#include "scenario/files/error.h"
#include "scenario/reader/read_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace fs = std::filesystem;

namespace {

/// Splits "NAME=FILE"; the name is empty if there is none.
PaintFile split_argument(const std::string& argument) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) return {"", argument};
    return {argument.substr(0, equals), argument.substr(equals + 1)};
}

}  // namespace

std::vector<PaintHeliostat> paint_heliostats(const std::vector<std::string>& arguments) {
    std::vector<PaintHeliostat> heliostats;
    for (const std::string& argument : arguments) {
        if (fs::is_directory(argument)) {
            for (PaintHeliostat& heliostat : find_paint_heliostats(argument)) {
                heliostats.push_back(std::move(heliostat));
            }
            continue;
        }
        const PaintFile file = split_argument(argument);
        heliostats.push_back({file.file, file.heliostat});
    }
    return heliostats;
}

std::vector<PaintFile> paint_files(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& heliostats,
                                   const FindPaintFiles& find) {
    ReadLog log;
    std::vector<PaintFile> files;
    for (const std::string& argument : arguments) {
        log.attempt([&] {
            if (fs::is_directory(argument)) {
                const std::vector<PaintFile> found = find(argument, heliostats);
                files.insert(files.end(), found.begin(), found.end());
                return;
            }
            PaintFile file = split_argument(argument);
            if (file.heliostat.empty()) {
                file.heliostat = paint_heliostat_of(file.file, heliostats);
            } else if (std::find(heliostats.begin(), heliostats.end(), file.heliostat) ==
                       heliostats.end()) {
                throw InputError(Problem{argument,
                                         fmt::format("there is no heliostat '{}'", file.heliostat),
                                         "its properties file is needed too",
                                         suggest(file.heliostat, heliostats)});
            }
            files.push_back(std::move(file));
        });
    }
    log.throw_if_any();
    return files;
}

}  // namespace helioray
