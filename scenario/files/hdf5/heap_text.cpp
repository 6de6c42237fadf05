// SPDX-License-Identifier: MIT
// Reads text of variable length directly from the file's global heap. Heaps have no checksum, and
// HDF5 1.10 trusts the lengths and indices that point into them.
#include "scenario/files/hdf5/element_types.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace helioray::hdf5 {

namespace {

constexpr const char* kTag = "helioray: place of a text";

/// HDF5 calls this function to convert text into heap references. Text in the file already is a
/// reference, so there is nothing to convert.
herr_t keep_reference(
    hid_t source, hid_t place, H5T_cdata_t* data, size_t, size_t, size_t, void*, void*, hid_t) {
    if (data->command != H5T_CONV_INIT) return 0;
    char* const tag = H5Tget_tag(place);
    const bool is_ours = tag && std::string_view(tag) == kTag;
    H5free_memory(tag);
    return is_ours && H5Tis_variable_str(source) > 0 ? 0 : -1;
}

Handle reference_type(std::size_t size) {
    Handle type(H5Tcreate(H5T_OPAQUE, size));
    H5Tset_tag(type.get(), kTag);
    static const herr_t registered = H5Tregister(
        H5T_PERS_SOFT, "helioray_place", utf8_string_type().get(), type.get(), keep_reference);
    static_cast<void>(registered);
    return type;
}

std::uint64_t little_endian(const unsigned char* bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i > 0; --i) value = value << 8U | bytes[i - 1];
    return value;
}

/// The collections of a file's global heap, each read once.
class Heap {
  public:
    Heap(hid_t object, const std::string& where) : where_(where) {
        const Handle file = checked(H5Iget_file_id(object), where, "has no file");
        const Handle creation = checked(H5Fget_create_plist(file.get()), where, "has no file");
        H5Pget_sizes(creation.get(), &address_size_, &length_size_);
        H5Pget_userblock(creation.get(), &base_);
        H5Fget_filesize(file.get(), &file_size_);
        unsigned intent = H5F_ACC_RDWR;
        H5Fget_intent(file.get(), &intent);
        const Handle access(H5Fget_access_plist(file.get()));
        // A file that is open for writing has its newest heap in memory.
        if (intent != H5F_ACC_RDONLY || H5Pget_driver(access.get()) != H5FD_SEC2) return;
        void* descriptor = nullptr;
        if (H5Fget_vfd_handle(file.get(), access.get(), &descriptor) >= 0)
            descriptor_ = *static_cast<const int*>(descriptor);
    }

    bool is_readable() const { return descriptor_ >= 0; }

    /// Returns the bytes of a heap reference: the length of the text, the address of the
    /// collection, and the index of the object in it.
    std::size_t reference_size() const { return 4 + address_size_ + 4; }

    std::string text_at(const unsigned char* place) {
        const std::size_t length = little_endian(place, 4);
        const std::uint64_t address = little_endian(place + 4, address_size_);
        const std::uint64_t number = little_endian(place + 4 + address_size_, 4);
        if (length == 0 || address == 0) return {};
        const std::map<std::uint64_t, std::string_view>& objects = collection(address);
        const auto object = objects.find(number);
        if (object == objects.end() || object->second.size() < length) refuse();
        const std::string_view text = object->second.substr(0, length);
        return std::string(text.substr(0, text.find('\0')));
    }

  private:
    struct Collection {
        std::vector<char> bytes;
        std::map<std::uint64_t, std::string_view> objects;  // by their indices
    };

    [[noreturn]] void refuse() const {
        fail(where_, "its text is not where the file says", "the file may be damaged");
    }

    std::vector<char> bytes_at(std::uint64_t address, std::uint64_t count) const {
        if (base_ > file_size_ || address > file_size_ - base_ ||
            count > file_size_ - base_ - address)
            refuse();
        std::vector<char> bytes = allocate<char>(count, where_);
        std::size_t done = 0;
        while (done < count) {
            const ssize_t got = ::pread(descriptor_,
                                        bytes.data() + done,
                                        count - done,
                                        static_cast<off_t>(base_ + address + done));
            if (got <= 0) refuse();
            done += static_cast<std::size_t>(got);
        }
        return bytes;
    }

    const std::map<std::uint64_t, std::string_view>& collection(std::uint64_t address) {
        const auto [entry, is_new] = collections_.try_emplace(address);
        Collection& known = entry->second;
        if (!is_new) return known.objects;
        // The collection starts with its signature, version, three reserved bytes and its total
        // size.
        const std::size_t start = 8 + length_size_;
        std::vector<char> head = bytes_at(address, start);
        if (std::string_view(head.data(), 4) != "GCOL") refuse();
        known.bytes = bytes_at(address, number_at(head, 8, length_size_));
        // Each object has its index, a reference count, four reserved bytes, its size, and its
        // contents padded to a multiple of eight bytes.
        const std::size_t header = 8 + length_size_;
        for (std::size_t at = start; at + header <= known.bytes.size();) {
            const std::uint64_t number = number_at(known.bytes, at, 2);
            const std::uint64_t size = number_at(known.bytes, at + 8, length_size_);
            // Index 0 is free space, including its header.
            if (number == 0 && size < header) break;
            if (number == 0) {
                at += std::min(size, known.bytes.size());
                continue;
            }
            if (size > known.bytes.size() - at - header) refuse();
            known.objects.emplace(number, std::string_view(known.bytes.data() + at + header, size));
            at += header + (size + 7) / 8 * 8;
        }
        return known.objects;
    }

    static std::uint64_t number_at(const std::vector<char>& bytes,
                                   std::size_t at,
                                   std::size_t count) {
        return little_endian(reinterpret_cast<const unsigned char*>(bytes.data() + at), count);
    }

    const std::string& where_;
    std::size_t address_size_ = 0;
    std::size_t length_size_ = 0;
    hsize_t base_ = 0;
    hsize_t file_size_ = 0;
    int descriptor_ = -1;
    std::map<std::uint64_t, Collection> collections_;
};

}  // namespace

std::optional<std::vector<std::string>> read_heap_text(
    hid_t object,
    std::size_t count,
    const std::function<herr_t(hid_t type, void* buffer)>& read,
    const std::string& where) {
    Heap heap(object, where);
    if (!heap.is_readable()) return std::nullopt;
    const std::size_t size = heap.reference_size();
    std::vector<unsigned char> references = allocate<unsigned char>(size * count, where);
    check(read(reference_type(size).get(), references.data()), where, "cannot read the text");
    std::vector<std::string> strings;
    for (std::size_t i = 0; i < count; ++i)
        strings.push_back(heap.text_at(references.data() + size * i));
    return strings;
}

}  // namespace helioray::hdf5
