// SPDX-License-Identifier: MIT
// Changes single objects of an HDF5 file in place.
#include "tests/scenario/edit_file.h"

#include <hdf5.h>

#include <stdexcept>

namespace helioray::test {

namespace {

// Tests must not go on with a file that is not what they meant.
hid_t must(hid_t status, const std::string& path) {
    if (status < 0) throw std::logic_error("test cannot edit " + path);
    return status;
}

hid_t type_of(Stored stored) {
    switch (stored) {
        case Stored::float64:
            return H5T_IEEE_F64LE;
        case Stored::float32:
            return H5T_IEEE_F32LE;
        case Stored::int64:
            return H5T_STD_I64LE;
        case Stored::int32:
            return H5T_STD_I32LE;
        case Stored::big_endian_float32:
            return H5T_IEEE_F32BE;
    }
    throw std::logic_error("unknown type");
}

}  // namespace

FileEditor::FileEditor(const std::filesystem::path& path)
    : file_(must(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), path.string())) {}

FileEditor::~FileEditor() {
    H5Fclose(file_);
}

void FileEditor::remove(const std::string& path) {
    must(H5Ldelete(file_, path.c_str(), H5P_DEFAULT), path);
}

void FileEditor::remove_attribute(const std::string& name) {
    must(H5Adelete(file_, name.c_str()), name);
}

void FileEditor::add_group(const std::string& path) {
    H5Gclose(must(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), path));
}

void FileEditor::move(const std::string& from, const std::string& to) {
    must(H5Lmove(file_, from.c_str(), file_, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), from);
}

void FileEditor::put(const std::string& path,
                     const std::vector<double>& values,
                     const hdf5::Shape& shape,
                     Stored stored) {
    if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) remove(path);
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const hid_t space =
        shape.empty() ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(shape.size()), extents.data(), nullptr);
    const hid_t set = must(
        H5Dcreate2(
            file_, path.c_str(), type_of(stored), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        path);
    must(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), path);
    H5Dclose(set);
    H5Sclose(space);
}

void FileEditor::put_text(const std::string& path, const std::string& text) {
    if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) remove(path);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t set = must(
        H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), path);
    const char* pointer = text.c_str();
    must(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), path);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

}  // namespace helioray::test
