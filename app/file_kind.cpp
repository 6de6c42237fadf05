// SPDX-License-Identifier: MIT
#include "app/file_kind.h"

#include "scenario/error.h"

#include <fstream>

namespace helioray::app {

namespace fs = std::filesystem;

FileKind kind_of(const fs::path& file) {
    std::error_code error;
    if (fs::is_directory(file, error)) {
        throw InputError(Problem{file.string(), "is a folder", "", "name a file"});
    }
    // What is read from a pipe is gone; HDF5 cannot be read from one anyway.
    if (fs::exists(file, error) && !fs::is_regular_file(file, error)) return FileKind::text;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw InputError(
            Problem{file.string(),
                    fs::exists(file, error) ? "the file cannot be read" : "there is no such file",
                    "",
                    "check the path"});
    }
    std::string signature(4, '\0');
    stream.read(signature.data(), 4);
    return signature == "\x89HDF" ? FileKind::hdf5 : FileKind::text;
}

}  // namespace helioray::app
