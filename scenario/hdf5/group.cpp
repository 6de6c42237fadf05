// SPDX-License-Identifier: MIT
// Listing, opening and creating groups and datasets.
#include "scenario/hdf5/group.h"

#include "scenario/hdf5/element_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::hdf5 {

std::string Group::path_of(const std::string& name) const {
    return path() == "/" ? "/" + name : path() + "/" + name;
}

std::string Group::where_of(const std::string& name) const {
    return file() + ": " + path_of(name);
}

namespace {

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

// An object of one of the two kinds; says what is wrong when it cannot be had.
Handle open(const Group& parent, const std::string& name, H5I_type_t kind) {
    const bool want_group = kind == H5I_GROUP;
    Handle handle(want_group ? H5Gopen2(parent.id(), name.c_str(), H5P_DEFAULT)
                             : H5Dopen2(parent.id(), name.c_str(), H5P_DEFAULT));
    if (handle.valid()) return handle;

    const char* expected = want_group ? "group" : "dataset";
    const std::string where = parent.where_of(name);
    if (!parent.contains(name)) {
        H5Eclear2(H5E_DEFAULT);
        fail(where, fmt::format("{} is missing", expected));
    }
    const Handle other(H5Oopen(parent.id(), name.c_str(), H5P_DEFAULT));
    if (other.valid() && H5Iget_type(other.get()) != kind) {
        H5Eclear2(H5E_DEFAULT);
        fail(where, fmt::format("is not a {}", expected));
    }
    fail(where, fmt::format("{} cannot be opened", expected), "the file may be damaged");
}

Handle intermediate_groups() {
    Handle list(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(list.get(), 1);
    H5Pset_char_encoding(list.get(), H5T_CSET_UTF8);
    return list;
}

Handle creation_properties(const Shape& shape, const Storage& storage, const std::string& where) {
    Handle list(H5Pcreate(H5P_DATASET_CREATE));
    if (storage.chunk.empty()) {
        if (storage.deflate > 0) fail(where, "compression needs chunks");
        return list;
    }
    if (storage.chunk.size() != shape.size()) {
        fail(where,
             fmt::format("has shape {}, chunks of {} do not match",
                         to_string(shape),
                         to_string(storage.chunk)));
    }
    // HDF5 refuses chunks that are larger than a dataset of fixed extents, or empty.
    std::vector<hsize_t> extents;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        extents.push_back(std::max<std::size_t>(1, std::min(storage.chunk[i], shape[i])));
    }
    check(H5Pset_chunk(list.get(), static_cast<int>(extents.size()), extents.data()),
          where,
          "cannot set chunks");
    if (storage.deflate > 0) {
        check(H5Pset_deflate(list.get(), static_cast<unsigned>(storage.deflate)),
              where,
              "cannot set compression");
    }
    return list;
}

Handle create(const Group& parent,
              const std::string& name,
              hid_t type,
              const Shape& shape,
              const Storage& storage = {}) {
    const std::string where = parent.where_of(name);
    if (parent.contains(name)) fail(where, "exists already");
    const Handle space = make_space(shape, where);
    const Handle links = intermediate_groups();
    const Handle properties = creation_properties(shape, storage, where);
    return checked(H5Dcreate2(parent.id(),
                              name.c_str(),
                              type,
                              space.get(),
                              links.get(),
                              properties.get(),
                              H5P_DEFAULT),
                   where,
                   "dataset cannot be created");
}

// The type in the file is little endian of the same size, whatever the machine.
template <typename T>
hid_t file_type() {
    if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
    if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
    if constexpr (std::is_same_v<T, std::int64_t>) return H5T_STD_I64LE;
    if constexpr (std::is_same_v<T, std::int32_t>) return H5T_STD_I32LE;
    if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_STD_U8LE;
}

}  // namespace

std::vector<std::string> Group::names() const {
    std::vector<std::string> names;
    check(H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names),
          where(),
          "cannot be listed");
    std::sort(names.begin(), names.end());
    return names;
}

bool Group::contains(const std::string& name) const {
    // Every step of the way must exist before HDF5 can be asked for the next one.
    for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
        const htri_t found = H5Lexists(id(), name.substr(0, end).c_str(), H5P_DEFAULT);
        if (found <= 0) {
            H5Eclear2(H5E_DEFAULT);
            return false;
        }
        if (end == std::string::npos) return true;
    }
}

Group Group::group(const std::string& name) const {
    return Group(open(*this, name, H5I_GROUP), file(), path_of(name));
}

Dataset Group::dataset(const std::string& name) const {
    return Dataset(open(*this, name, H5I_DATASET), file(), path_of(name));
}

double Group::read_number(const std::string& name) const {
    return dataset(name).read_number();
}

std::int64_t Group::read_integer(const std::string& name) const {
    return dataset(name).read_integer();
}

bool Group::read_boolean(const std::string& name) const {
    return dataset(name).read_boolean();
}

std::string Group::read_string(const std::string& name) const {
    return dataset(name).read_string();
}

std::vector<std::string> Group::read_strings(const std::string& name) const {
    return dataset(name).read_strings();
}

std::vector<double> Group::read_numbers(const std::string& name) const {
    return dataset(name).read<double>();
}

Group Group::create_group(const std::string& name) {
    if (contains(name)) return group(name);
    const Handle links = intermediate_groups();
    return Group(checked(H5Gcreate2(id(), name.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
                         where_of(name),
                         "group cannot be created"),
                 file(),
                 path_of(name));
}

template <typename T>
Dataset Group::create_dataset(const std::string& name, const Shape& shape, const Storage& storage) {
    return Dataset(create(*this, name, file_type<T>(), shape, storage), file(), path_of(name));
}

template <typename T>
Dataset Group::write_array(const std::string& name,
                           std::span<const T> values,
                           const Shape& shape,
                           const Storage& storage) {
    if (values.size() != num_elements(shape)) {
        fail(where_of(name),
             fmt::format("{} values do not fill shape {}", values.size(), to_string(shape)));
    }
    Dataset dataset = create_dataset<T>(name, shape, storage);
    dataset.write<T>(values);
    return dataset;
}

std::string Group::identity() const {
    const auto require = [&](herr_t status) { check(status, where(), "cannot be identified"); };
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t info;
    require(H5Oget_info3(id(), &info, H5O_INFO_BASIC));
    return {reinterpret_cast<const char*>(&info.token), sizeof(info.token)};
#else
    H5O_info_t info;
    require(H5Oget_info2(id(), &info, H5O_INFO_BASIC));
    return fmt::format("{}", info.addr);
#endif
}

void Group::link(const std::string& name, const Object& existing) {
    if (contains(name)) fail(where_of(name), "exists already");
    const Handle links = intermediate_groups();
    check(H5Olink(existing.id(), id(), name.c_str(), links.get(), H5P_DEFAULT),
          where_of(name),
          "link cannot be created");
}

Dataset Group::write_number(const std::string& name, double value) {
    return write_array<double>(name, std::span<const double>(&value, 1), {});
}

Dataset Group::write_integer(const std::string& name, std::int64_t value) {
    return write_array<std::int64_t>(name, std::span<const std::int64_t>(&value, 1), {});
}

Dataset Group::write_boolean(const std::string& name, bool value) {
    const Handle type = boolean_type();
    const signed char element = value ? 1 : 0;
    Handle handle = create(*this, name, type.get(), {});
    check(H5Dwrite(handle.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &element),
          where_of(name),
          "cannot be written");
    return Dataset(std::move(handle), file(), path_of(name));
}

Dataset Group::write_string(const std::string& name, const std::string& value) {
    const Handle type = utf8_string_type();
    const char* pointer = value.c_str();
    Handle handle = create(*this, name, type.get(), {});
    check(H5Dwrite(handle.get(),
                   type.get(),
                   H5S_ALL,
                   H5S_ALL,
                   H5P_DEFAULT,
                   static_cast<const void*>(&pointer)),
          where_of(name),
          "cannot be written");
    return Dataset(std::move(handle), file(), path_of(name));
}

Dataset Group::write_strings(const std::string& name, const std::vector<std::string>& values) {
    const Handle type = utf8_string_type();
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    Handle handle = create(*this, name, type.get(), {values.size()});
    if (!values.empty()) {
        check(H5Dwrite(handle.get(),
                       type.get(),
                       H5S_ALL,
                       H5S_ALL,
                       H5P_DEFAULT,
                       static_cast<const void*>(pointers.data())),
              where_of(name),
              "cannot be written");
    }
    return Dataset(std::move(handle), file(), path_of(name));
}

#define HELIORAY_INSTANTIATE(T)                                                                  \
    template Dataset Group::create_dataset<T>(const std::string&, const Shape&, const Storage&); \
    template Dataset Group::write_array<T>(                                                      \
        const std::string&, std::span<const T>, const Shape&, const Storage&);
HELIORAY_INSTANTIATE(double)
HELIORAY_INSTANTIATE(float)
HELIORAY_INSTANTIATE(std::int64_t)
HELIORAY_INSTANTIATE(std::int32_t)
HELIORAY_INSTANTIATE(std::uint8_t)
#undef HELIORAY_INSTANTIATE

}  // namespace helioray::hdf5
