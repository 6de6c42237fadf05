// SPDX-License-Identifier: MIT
// Opens and creates HDF5 files; writes complete files by renaming temporary ones.
#include "scenario/files/hdf5/file.h"

#include "scenario/files/error.h"
#include "scenario/files/hdf5/trial.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <atomic>
#include <system_error>

namespace helioray::hdf5 {

namespace fs = std::filesystem;

File::File(Handle handle, fs::path path) : handle_(std::move(handle)), path_(std::move(path)) {}

namespace {

void silence_hdf5() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// Name of the open file for the signal handler. The buffer is fixed, since the handler may not
// allocate memory.
constexpr size_t kMostCharacters = 4096;
char g_name[kMostCharacters] = "";
std::atomic<int> g_readers{0};

/// Publishes the file name until the last owner of the returned mark is gone.
std::shared_ptr<const void> mark_as_read(const fs::path& path) {
    const size_t length = path.string().copy(g_name, kMostCharacters - 1);
    g_name[length] = '\0';
    ++g_readers;
    return {g_name, [](const void*) { --g_readers; }};
}

[[noreturn]] void refuse(const fs::path& path,
                         const std::string& what,
                         const std::string& why,
                         const std::string& advice) {
    H5Eclear2(H5E_DEFAULT);
    throw InputError(Problem{path.string(), what, why, advice});
}

// Returns access properties for the format of HDF5 1.8, in which a small group takes 150 bytes
// instead of 1,100 in the oldest format and headers carry checksums.
Handle format_of_new_files(const std::string& where) {
    Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), where, "file cannot be created");
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18),
          where,
          "file cannot be created");
    return access;
}

}  // namespace

const char* file_being_read() noexcept {
    return g_readers > 0 ? g_name : nullptr;
}

File File::open(const fs::path& path) {
    silence_hdf5();
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (!fs::exists(status)) refuse(path, "file does not exist", "", "check the path");
    if (fs::is_directory(status)) refuse(path, "is a folder, not a file", "", "name an HDF5 file");
    if (!fs::is_regular_file(status)) {
        refuse(path, "is a device or pipe, not a file", "", "name an HDF5 file");
    }
    if (::access(path.c_str(), R_OK) != 0) {
        refuse(path, "file cannot be read", "no permission", "change its permissions");
    }

    try_file(path);
    auto mark = mark_as_read(path);
    Handle handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    if (handle.valid()) {
        File file(std::move(handle), path);
        file.mark_ = std::move(mark);
        return file;
    }

    // A file with a valid signature but an unreadable rest was cut off or overwritten.
    const std::string size = fmt::format("it has {} bytes", fs::file_size(path, ignored));
    if (H5Fis_hdf5(path.c_str()) <= 0) {
        refuse(path, "is not an HDF5 file", size, "name a file in HDF5 format");
    }
    fail(path.string(),
         fmt::format("the HDF5 file is truncated, damaged or locked, {}", size),
         "make or copy it again");
}

File File::open_to_change(const fs::path& path) {
    silence_hdf5();
    const Handle access = format_of_new_files(path.string());
    File file(checked(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()),
                      path.string(),
                      "file cannot be opened to change it"),
              path);
    file.mark_ = mark_as_read(path);
    return file;
}

File File::create(const fs::path& path) {
    silence_hdf5();
    const Handle access = format_of_new_files(path.string());
    // Without times, files of equal content have equal bytes.
    const Handle root(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_obj_track_times(root.get(), 0);
    return File(checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, root.get(), access.get()),
                        path.string(),
                        "file cannot be created"),
                path);
}

Group File::root() const {
    return Group(
        checked(
            H5Gopen2(handle_.get(), "/", H5P_DEFAULT), path_.string() + ": /", "cannot be opened"),
        path_.string(),
        "/");
}

void File::close() {
    check(H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), path_.string(), "cannot be stored");
    // HDF5 would silently keep the file open and incomplete.
    if (H5Fget_obj_count(handle_.get(), H5F_OBJ_ALL) > 1) {
        fail(path_.string(), "cannot be closed, groups or datasets of it are still open");
    }
    check(H5Fclose(handle_.get()), path_.string(), "cannot be closed");
    handle_.release();
}

namespace {

/// Lets `make` open the temporary file and `fill` write into it, and renames it to `path`.
void write_atomically(const fs::path& path,
                      const std::function<File(AtomicFile& output)>& make,
                      const std::function<void(Group root)>& fill) {
    const fs::path folder = path.parent_path();
    if (!folder.empty() && !fs::is_directory(folder)) {
        refuse(path,
               fmt::format("folder '{}' does not exist", folder.string()),
               "the file is written there",
               "create it or choose another path");
    }
    if (fs::is_directory(path)) refuse(path, "is a folder, not a file", "", "name a file");

    AtomicFile output(path);
    File file = make(output);
    fill(file.root());
    file.close();
    output.commit();
    trust_file(path);
}

}  // namespace

void write_file(const fs::path& path, const std::function<void(Group root)>& fill) {
    const auto create = [](AtomicFile& output) { return File::create(output.temporary()); };
    write_atomically(path, create, fill);
}

void change_file(const fs::path& from,
                 const fs::path& path,
                 const std::function<void(Group root)>& change) {
    const auto copy = [&](AtomicFile& output) {
        output.copy(from);
        return File::open_to_change(output.temporary());
    };
    write_atomically(path, copy, change);
}

}  // namespace helioray::hdf5
