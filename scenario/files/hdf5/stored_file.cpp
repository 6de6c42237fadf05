// SPDX-License-Identifier: MIT
// A file driver for HDF5 that uses system calls and hides their failures from HDF5.
#include "scenario/files/hdf5/stored_file.h"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

namespace helioray::hdf5 {

namespace {

// errno of the first failure of the file that this thread writes; 0 if everything has been stored.
thread_local int first_failure = 0;

void note_failure(int error) {
    if (first_failure == 0) first_failure = error == 0 ? EIO : error;
}

struct DiskFile {
    H5FD_t common;  // HDF5 requires this member to be the first
    int descriptor;
    haddr_t end_of_room;
    haddr_t end_of_file;
};

DiskFile& disk_file(H5FD_t* file) {
    return *reinterpret_cast<DiskFile*>(file);
}

const DiskFile& disk_file(const H5FD_t* file) {
    return *reinterpret_cast<const DiskFile*>(file);
}

H5FD_t* open_file(const char* name, unsigned /*flags*/, hid_t /*access*/, haddr_t /*largest*/) {
    const int descriptor = ::open(name, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        note_failure(errno);
        return nullptr;
    }
    auto* file = new (std::nothrow) DiskFile{};
    if (file == nullptr) {
        ::close(descriptor);
        return nullptr;
    }
    file->descriptor = descriptor;
    return &file->common;
}

herr_t close_file(H5FD_t* file) {
    // Some file systems report a full disk only now.
    if (::close(disk_file(file).descriptor) != 0) note_failure(errno);
    delete &disk_file(file);
    return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

// Returns the same flags as HDF5's own file driver.
herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

haddr_t end_of_room(const H5FD_t* file, H5FD_mem_t /*type*/) {
    return disk_file(file).end_of_room;
}

herr_t set_end_of_room(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
    disk_file(file).end_of_room = end;
    return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t /*type*/) {
    return disk_file(file).end_of_file;
}

herr_t read_bytes(
    H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*how*/, haddr_t at, size_t size, void* bytes) {
    auto* to = static_cast<char*>(bytes);
    while (size > 0) {
        const ssize_t count = ::pread(disk_file(file).descriptor, to, size, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) note_failure(errno);
        if (count <= 0) break;
        to += count;
        at += static_cast<haddr_t>(count);
        size -= static_cast<size_t>(count);
    }
    // Fill bytes behind the end of the file, or bytes that could not be stored, with zeros.
    std::memset(to, 0, size);
    return 0;
}

herr_t write_bytes(
    H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*how*/, haddr_t at, size_t size, const void* bytes) {
    const auto* from = static_cast<const char*>(bytes);
    disk_file(file).end_of_file = std::max(disk_file(file).end_of_file, at + size);
    while (size > 0 && first_failure == 0) {
        const ssize_t count =
            ::pwrite(disk_file(file).descriptor, from, size, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        // A write of 0 bytes sets no errno; note_failure() then uses EIO.
        if (count <= 0) note_failure(count < 0 ? errno : 0);
        if (count <= 0) break;
        from += count;
        at += static_cast<haddr_t>(count);
        size -= static_cast<size_t>(count);
    }
    return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t /*how*/, hbool_t /*closing*/) {
    DiskFile& self = disk_file(file);
    if (self.end_of_room == self.end_of_file) return 0;
    if (first_failure == 0 &&
        ::ftruncate(self.descriptor, static_cast<off_t>(self.end_of_room)) != 0)
        note_failure(errno);
    self.end_of_file = self.end_of_room;
    return 0;
}

H5FD_class_t make_driver() {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 44);
#endif
    driver.name = "helioray_disk";
    driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.open = open_file;
    driver.close = close_file;
    driver.cmp = compare;
    driver.query = query;
    driver.get_eoa = end_of_room;
    driver.set_eoa = set_end_of_room;
    driver.get_eof = end_of_file;
    driver.read = read_bytes;
    driver.write = write_bytes;
    driver.truncate = truncate_file;
    constexpr H5FD_mem_t kMap[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kMap), std::end(kMap), driver.fl_map);
    return driver;
}

/// Creates a file with this driver.
Handle create_file(const std::string& path, const std::string& name) {
    static const H5FD_class_t driver = make_driver();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Handle registered = checked(H5FDregister(&driver), name, "file cannot be created");
    const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), name, "file cannot be created");
    check(H5Pset_driver(access.get(), registered.get(), nullptr), name, "file cannot be created");
    return checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                   name,
                   "file cannot be created");
}

void fill_file(const std::string& path,
               const std::string& name,
               const std::function<void(Group root)>& fill) {
    const Handle file = create_file(path, name);
    fill(Group(checked(H5Gopen2(file.get(), "/", H5P_DEFAULT), name + ": /", "cannot be opened"),
               name,
               "/"));
    check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), name, "cannot be completed");
}

}  // namespace

int write_stored_file(const std::filesystem::path& path,
                      const std::string& name,
                      const std::function<void(Group root)>& fill) {
    first_failure = 0;
    try {
        fill_file(path.string(), name, fill);
    } catch (const NotStored&) {
        return first_failure;
    } catch (...) {
        // HDF5 may fail because of data that the disk did not store.
        if (first_failure == 0) throw;
    }
    return first_failure;
}

void give_up_unless_stored() {
    if (first_failure != 0) throw NotStored();
}

}  // namespace helioray::hdf5
