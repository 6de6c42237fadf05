// SPDX-License-Identifier: MIT
#include "app/open_result.h"

#include "app/file_kind.h"
#include "raytracer/output/result_file.h"
#include "scenario/error.h"

namespace helioray::app {

RunResult open_result(const std::filesystem::path& file) {
    if (kind_of(file) == FileKind::text) {
        throw InputError(Problem{file.string(),
                                 "this is not a result file",
                                 "results are HDF5 files",
                                 "'helioray raytrace' makes one from a configuration"});
    }
    return read_result(file, HeliostatFlux::skip);
}

}  // namespace helioray::app
