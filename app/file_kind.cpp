// SPDX-License-Identifier: MIT
#include "app/file_kind.h"

#include "scenario/error.h"

#include <fstream>

namespace helioray::app {

namespace fs = std::filesystem;

FileKind kind_of(const fs::path& file) {
    if (fs::is_directory(file)) {
        throw InputError(Problem{file.string(), "this is a folder", "", "name a file"});
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw InputError(
            Problem{file.string(),
                    fs::exists(file) ? "the file cannot be read" : "there is no such file",
                    "",
                    "check the path"});
    }
    std::string signature(4, '\0');
    stream.read(signature.data(), 4);
    return signature == "\x89HDF" ? FileKind::hdf5 : FileKind::text;
}

}  // namespace helioray::app
