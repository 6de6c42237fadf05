// SPDX-License-Identifier: MIT
// Lets a child process read files before this process does.
#include "scenario/files/hdf5/trial.h"

#include "scenario/files/error.h"
#include "scenario/files/hdf5/element_types.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace helioray::hdf5 {

namespace fs = std::filesystem;

namespace {

// Limit of the processor time for one object, in seconds. An honest object takes milliseconds,
// however large its file and slow its disk.
constexpr int kLimitSeconds = 2;
// Further elements of the same array use the same code paths of HDF5.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

enum class Outcome { crashed, endless, survived };
// Outcome in memory that the child shares with its parent, since another thread may collect the
// child's exit status.
std::atomic<Outcome>* g_outcome = nullptr;

std::atomic<int> g_ticks{0};  // seconds since the reading of an object began

extern "C" void on_tick(int signal) {
    if (++g_ticks <= kLimitSeconds) return;
    *g_outcome = Outcome::endless;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Starts a timer that ticks every second of processor time.
void start_clock() {
    std::signal(SIGPROF, on_tick);
    itimerval clock{};
    clock.it_interval.tv_sec = clock.it_value.tv_sec = 1;
    ::setitimer(ITIMER_PROF, &clock, nullptr);
}

/// Calls `read` and ignores its errors. The regular reading after the trial reports them.
template <typename Read>
void attempt(const Read& read) {
    g_ticks = 0;
    try {
        read();
    } catch (const std::exception&) {
        H5Eclear2(H5E_DEFAULT);
    }
}

bool is_number(ElementKind kind) {
    return kind != ElementKind::string && kind != ElementKind::other;
}

herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
    attempt([&] {
        const Handle attribute = checked(H5Aopen(object, name, H5P_DEFAULT), "", "");
        const Handle type = checked(H5Aget_type(attribute.get()), "", "");
        const Handle space = checked(H5Aget_space(attribute.get()), "", "");
        const auto read = [&](hid_t memory_type, void* buffer) {
            return H5Aread(attribute.get(), memory_type, buffer);
        };
        const ElementKind kind = element_kind(type.get());
        if (kind == ElementKind::string)
            read_string_elements(attribute.get(), type.get(), space.get(), read, "");
        if (!is_number(kind)) return;
        std::vector<double> values(num_elements(read_shape(space.get(), "")));
        read(H5T_NATIVE_DOUBLE, values.data());
    });
    return 0;
}

void read_attributes(const Object& object) {
    hsize_t first = 0;
    H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &first, read_attribute, nullptr);
}

template <typename T>
void read_numbers(const Dataset& dataset) {
    const std::size_t bytes = dataset.size() * sizeof(T);
    if (bytes <= kMostBytes) {
        static_cast<void>(dataset.read<T>());
        return;
    }
    const std::size_t row = bytes / dataset.shape()[0];
    static_cast<void>(dataset.read_rows<T>(0, std::max<std::size_t>(1, kMostBytes / row)));
#if H5_VERSION_GE(1, 10, 5)
    // This call visits every chunk.
    hsize_t chunks = 0;
    H5Dget_num_chunks(dataset.id(), H5S_ALL, &chunks);
#endif
}

void read_elements(const Dataset& dataset) {
    if (dataset.kind() == ElementKind::string) static_cast<void>(dataset.read_strings());
    // Matching types avoid a conversion, for which HDF5 would clear a buffer of 1 MiB each time.
    if (dataset.kind() == ElementKind::integer) read_numbers<std::int64_t>(dataset);
    if (dataset.kind() == ElementKind::floating || dataset.kind() == ElementKind::boolean)
        read_numbers<double>(dataset);
}

/// Reads all groups and datasets, each once.
class Walk {
  public:
    void visit(const Group& group) {
        std::vector<Link> links;
        attempt([&] {
            if (known_.insert(group.address()).second) links = group.links();
        });
        attempt([&] { read_attributes(group); });
        for (const Link& link : links) {
            if (link.address != 0 && !known_links_.insert(link.address).second) continue;
            visit(group, link.name);
        }
    }

  private:
    void visit(const Group& parent, const std::string& name) {
        g_ticks = 0;
        const Handle object(H5Oopen(parent.id(), name.c_str(), H5P_DEFAULT));
        if (!object.valid()) return;
        const H5I_type_t kind = H5Iget_type(object.get());
        if (kind == H5I_GROUP) visit(Group(object, parent.file(), parent.absolute_path(name)));
        if (kind != H5I_DATASET) return;
        attempt([&] {
            const Dataset dataset(object, parent.file(), parent.absolute_path(name));
            read_attributes(dataset);
            attempt([&] { read_elements(dataset); });
        });
    }

    std::set<std::uint64_t> known_;
    std::set<std::uint64_t> known_links_;
};

/// Reads the file in the child process and ends it.
[[noreturn]] void read_and_exit(const fs::path& path) {
    // The child must not outlive its parent, leave a core file, or print glibc's messages about a
    // broken heap.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_DUMPABLE, 0);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    // The child unblocks fatal signals only; other signals are for the parent.
    start_clock();
    sigset_t fatal;
    sigemptyset(&fatal);
    sigaddset(&fatal, SIGPROF);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        std::signal(signal, SIG_DFL);
        sigaddset(&fatal, signal);
    }
    ::sigprocmask(SIG_UNBLOCK, &fatal, nullptr);
    // Some damage makes HDF5 use leftover memory contents as an address. Fill freed memory with a
    // pattern that is not a valid address, so that this always crashes here.
    constexpr int kPoison = 0x5a;
    ::mallopt(M_PERTURB, kPoison);
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    if (file.valid()) {
        const Handle root(H5Gopen2(file.get(), "/", H5P_DEFAULT));
        if (root.valid()) Walk().visit(Group(root, path.string(), "/"));
    }
    *g_outcome = Outcome::survived;
    ::_exit(0);
}

herr_t fork_here(hid_t, const char*, void* child) {
    *static_cast<pid_t*>(child) = ::fork();
    return 1;
}

/// Returns the outcome of a child process that reads the file. If no child can be created the
/// outcome is `survived`, since the file may be valid.
Outcome try_in_child(const fs::path& path) {
    constexpr std::size_t kSize = sizeof(std::atomic<Outcome>);
    void* const shared =
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return Outcome::survived;
    g_outcome = new (shared) std::atomic<Outcome>(Outcome::crashed);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = -1;
    // HDF5 holds its lock during this callback, so no other thread can hold it when the child is
    // forked.
    H5Piterate(H5P_FILE_ACCESS, nullptr, fork_here, &child);
    if (child == 0) read_and_exit(path);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    const Outcome outcome = child > 0 ? g_outcome->load() : Outcome::survived;
    ::munmap(shared, kSize);
    return outcome;
}

std::atomic<bool> g_tries_files{false};

/// Identifies a file and the version of its contents.
using Identity = std::array<std::int64_t, 7>;

std::set<Identity>& known_files() {
    static std::set<Identity> files;
    return files;
}

Identity identify(const struct stat& file) {
    return {static_cast<std::int64_t>(file.st_dev),
            static_cast<std::int64_t>(file.st_ino),
            file.st_size,
            file.st_mtim.tv_sec,
            file.st_mtim.tv_nsec,
            file.st_ctim.tv_sec,
            file.st_ctim.tv_nsec};
}

/// Returns true if the file may change again without a new modification time: the clocks of file
/// systems advance in steps of up to 10 ms.
bool changed_just_now(const struct stat& file) {
    using namespace std::chrono;
    const auto change = seconds(file.st_ctim.tv_sec) + nanoseconds(file.st_ctim.tv_nsec);
    return system_clock::now().time_since_epoch() - change < milliseconds(20);
}

}  // namespace

void try_files_first() {
    g_tries_files = true;
}

void try_file(const fs::path& path) {
    if (!g_tries_files) return;
    struct stat file {};
    if (::stat(path.c_str(), &file) != 0 || known_files().contains(identify(file))) return;
    const bool is_settled = !changed_just_now(file);
    const Outcome outcome = try_in_child(path);
    if (outcome != Outcome::survived) {
        throw InputError(Problem{path.string(),
                                 "the HDF5 file is damaged",
                                 outcome == Outcome::endless
                                     ? "the HDF5 library reads it without end"
                                     : "reading it crashed the HDF5 library",
                                 "make or copy it again"});
    }
    if (is_settled) known_files().insert(identify(file));
}

void trust_file(const fs::path& path) {
    struct stat file {};
    if (::stat(path.c_str(), &file) == 0) known_files().insert(identify(file));
}

}  // namespace helioray::hdf5
