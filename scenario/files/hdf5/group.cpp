// SPDX-License-Identifier: MIT
// Lists, opens and creates groups and datasets.
#include "scenario/files/hdf5/element_types.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace helioray::hdf5 {

std::string Group::absolute_path(const std::string& name) const {
    return path() == "/" ? "/" + name : path() + "/" + name;
}

std::string Group::where_of(const std::string& name) const {
    return file() + ": " + absolute_path(name);
}

namespace {

#if H5_VERSION_GE(1, 12, 0)
// A token in a file begins with the address in little-endian bytes.
std::uint64_t header_address(const H5O_token_t& token) {
    std::uint64_t address = 0;
    std::memcpy(&address, &token, sizeof(address));
    return address;
}
std::uint64_t header_address(const H5L_info_t& link) {
    return header_address(link.u.token);
}
#else
std::uint64_t header_address(const H5L_info_t& link) {
    return link.u.address;
}
#endif

herr_t add_link(hid_t, const char* name, const H5L_info_t* link, void* links) {
    const bool is_hard = link->type == H5L_TYPE_HARD;
    static_cast<std::vector<Link>*>(links)->push_back({name, is_hard ? header_address(*link) : 0});
    return 0;
}

// Opens an object of one of the two kinds; throws InputError with the reason if it cannot be
// opened.
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

// Returns link creation properties that live until the program ends: a new list for every object
// would cost as much as the object.
Id intermediate_groups() {
    static const Id list = [] {
        Handle made(H5Pcreate(H5P_LINK_CREATE));
        H5Pset_create_intermediate_group(made.get(), 1);
        H5Pset_char_encoding(made.get(), H5T_CSET_UTF8);
        return made.release();
    }();
    return list;
}

// Returns creation properties of groups (H5P_GROUP_CREATE) or datasets (H5P_DATASET_CREATE) without
// times, so that files of equal content have equal bytes.
Id without_times(Id kind) {
    const Id list = H5Pcreate(kind);
    H5Pset_obj_track_times(list, 0);
    return list;
}

Id group_properties() {
    static const Id list = without_times(H5P_GROUP_CREATE);
    return list;
}

// Creates the groups on the way to a name without times, which HDF5 would store. The caller reports
// errors.
void create_parents(const Group& parent, const std::string& name) {
    for (size_t end = name.find('/', 1); end != std::string::npos; end = name.find('/', end + 1)) {
        const std::string group = name.substr(0, end);
        if (parent.contains(group)) continue;
        const Handle made(H5Gcreate2(
            parent.id(), group.c_str(), intermediate_groups(), group_properties(), H5P_DEFAULT));
        if (!made.valid()) H5Eclear2(H5E_DEFAULT);
    }
}

// Throws InputError for something that could not be created, with HDF5's reason unless its name is
// taken.
[[noreturn]] void fail_to_create(const Group& parent,
                                 const std::string& name,
                                 const std::string& what) {
    const Id reason = H5Eget_current_stack();
    const bool taken = parent.contains(name);
    H5Eset_current_stack(reason);
    if (!taken) fail(parent.where_of(name), what);
    H5Eclear2(H5E_DEFAULT);
    fail(parent.where_of(name), "exists already");
}

// Returns the creation properties of a chunked dataset.
Handle chunks(const Shape& shape, const Storage& storage, const std::string& where) {
    Handle list(without_times(H5P_DATASET_CREATE));
    if (storage.chunk.size() != shape.size()) {
        fail(where,
             fmt::format("has shape {}, chunks of {} do not match",
                         to_string(shape),
                         to_string(storage.chunk)));
    }
    // HDF5 refuses chunks that are empty or larger than a dataset of fixed extents.
    std::vector<hsize_t> extents;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        extents.push_back(std::max<std::size_t>(1, std::min(storage.chunk[i], shape[i])));
    }
    check(H5Pset_chunk(list.get(), static_cast<int>(extents.size()), extents.data()),
          where,
          "cannot set chunks");
    if (storage.shuffle) check(H5Pset_shuffle(list.get()), where, "cannot be compressed");
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
    if (storage.chunk.empty() && storage.deflate > 0) {
        fail(parent.where_of(name), "compression needs chunks");
    }
    const Handle space = make_space(shape, [&] { return parent.where_of(name); });
    static const Id contiguous = without_times(H5P_DATASET_CREATE);
    const Handle properties =
        storage.chunk.empty() ? Handle() : chunks(shape, storage, parent.where_of(name));
    create_parents(parent, name);
    Handle dataset(H5Dcreate2(parent.id(),
                              name.c_str(),
                              type,
                              space.get(),
                              intermediate_groups(),
                              properties.valid() ? properties.get() : contiguous,
                              H5P_DEFAULT));
    if (!dataset.valid()) fail_to_create(parent, name, "dataset cannot be created");
    return dataset;
}

// Returns the kind of the elements of a new dataset of T, so that Dataset need not query HDF5.
template <typename T>
constexpr ElementKind kind_of_type() {
    return std::is_floating_point_v<T> ? ElementKind::floating : ElementKind::integer;
}

// Returns the type in the file: little endian of the same size on any machine.
template <typename T>
hid_t file_type() {
    if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
    if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
    if constexpr (std::is_same_v<T, std::int64_t>) return H5T_STD_I64LE;
    if constexpr (std::is_same_v<T, std::int32_t>) return H5T_STD_I32LE;
    if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_STD_U8LE;
}

}  // namespace

std::vector<Link> Group::links() const {
    std::vector<Link> links;
    check(
        H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add_link, &links),
        [this] { return where(); },
        "cannot be listed");
    std::sort(
        links.begin(), links.end(), [](const Link& a, const Link& b) { return a.name < b.name; });
    return links;
}

std::vector<std::string> Group::names() const {
    std::vector<std::string> names;
    for (Link& link : links()) names.push_back(std::move(link.name));
    return names;
}

bool Group::contains(const std::string& name) const {
    // Every group on the way must exist before HDF5 accepts a query for the next one.
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
    return Group(open(*this, name, H5I_GROUP), file(), absolute_path(name));
}

Dataset Group::dataset(const std::string& name) const {
    return Dataset(open(*this, name, H5I_DATASET), file(), absolute_path(name));
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

std::optional<Group> Group::create_new_group(const std::string& name) {
    create_parents(*this, name);
    Handle handle(
        H5Gcreate2(id(), name.c_str(), intermediate_groups(), group_properties(), H5P_DEFAULT));
    if (handle.valid()) return Group(std::move(handle), file(), absolute_path(name));
    const Id reason = H5Eget_current_stack();
    const bool taken = contains(name);
    H5Eset_current_stack(reason);
    if (!taken) fail(where_of(name), "group cannot be created");
    H5Eclear2(H5E_DEFAULT);
    return std::nullopt;
}

void Group::remove(const std::string& name) {
    check(
        H5Ldelete(id(), name.c_str(), H5P_DEFAULT),
        [&] { return where_of(name); },
        "cannot be removed");
}

Group Group::create_group(const std::string& name) {
    std::optional<Group> created = create_new_group(name);
    return created ? std::move(*created) : group(name);
}

template <typename T>
Dataset Group::create_dataset(const std::string& name, const Shape& shape, const Storage& storage) {
    return Dataset(create(*this, name, file_type<T>(), shape, storage),
                   file(),
                   absolute_path(name),
                   shape,
                   kind_of_type<T>());
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

std::uint64_t Group::address() const {
    const auto place = [this] { return where(); };
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t info;
    check(H5Oget_info3(id(), &info, H5O_INFO_BASIC), place, "cannot be identified");
    return header_address(info.token);
#else
    H5O_info_t info;
    check(H5Oget_info2(id(), &info, H5O_INFO_BASIC), place, "cannot be identified");
    return info.addr;
#endif
}

void Group::link(const std::string& name, const Object& existing) {
    if (H5Olink(existing.id(), id(), name.c_str(), intermediate_groups(), H5P_DEFAULT) < 0) {
        fail_to_create(*this, name, "link cannot be created");
    }
}

Dataset Group::write_number(const std::string& name, double value) {
    return write_array<double>(name, std::span<const double>(&value, 1), {});
}

Dataset Group::write_integer(const std::string& name, std::int64_t value) {
    return write_array<std::int64_t>(name, std::span<const std::int64_t>(&value, 1), {});
}

namespace {

// Creates a dataset whose elements have the same type in the file and in memory.
Dataset write_elements(const Group& parent,
                       const std::string& name,
                       hid_t type,
                       const Shape& shape,
                       ElementKind kind,
                       const void* elements,
                       const Storage& storage = {}) {
    Handle handle = create(parent, name, type, shape, storage);
    const auto where = [&] { return parent.where_of(name); };
    if (num_elements(shape) > 0) {
        const hid_t transfer = transfer_properties(num_elements(shape) * H5Tget_size(type));
        check(H5Dwrite(handle.get(), type, H5S_ALL, H5S_ALL, transfer, elements),
              where,
              "cannot be written");
    }
    return Dataset(std::move(handle), parent.file(), parent.absolute_path(name), shape, kind);
}

}  // namespace

Dataset Group::write_boolean(const std::string& name, bool value) {
    const signed char element = value ? 1 : 0;
    return write_elements(*this, name, boolean_type().get(), {}, ElementKind::boolean, &element);
}

Dataset Group::write_string(const std::string& name, const std::string& value) {
    const char* pointer = value.c_str();
    return write_elements(*this,
                          name,
                          utf8_string_type().get(),
                          {},
                          ElementKind::string,
                          static_cast<const void*>(&pointer));
}

Dataset Group::write_strings(const std::string& name, const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const std::string& value : values) pointers.push_back(value.c_str());
    return write_elements(*this,
                          name,
                          utf8_string_type().get(),
                          {values.size()},
                          ElementKind::string,
                          static_cast<const void*>(pointers.data()));
}

Dataset Group::write_padded_strings(const std::string& name,
                                    const std::vector<std::string>& values,
                                    const Storage& storage) {
    size_t length = 1;
    for (const std::string& value : values) length = std::max(length, value.size());
    std::string padded;
    padded.reserve(length * values.size());
    for (const std::string& value : values)
        padded.append(value).append(length - value.size(), '\0');
    const Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), length);
    H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return write_elements(
        *this, name, type.get(), {values.size()}, ElementKind::string, padded.data(), storage);
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
