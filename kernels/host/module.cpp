// SPDX-License-Identifier: MIT
// Finds and loads modules.
#include "kernels/host/module.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

namespace helioray {

namespace {

namespace fs = std::filesystem;

/// Returns the folder of the program or shared library into which this function is linked.
fs::path own_folder() {
    Dl_info info{};
    link_map* object = nullptr;
    const auto here = reinterpret_cast<const void*>(&own_folder);
    std::error_code error;
    if (dladdr1(here, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 &&
        object->l_name[0] != '\0')
        return fs::canonical(object->l_name, error).parent_path();
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::vector<fs::path> candidates(const std::string& file) {
    std::vector<fs::path> paths;
    if (const char* folder = std::getenv("HELIORAY_MODULES"); folder != nullptr && *folder != '\0')
        paths.push_back(fs::path(folder) / file);
    const fs::path own = own_folder();
    constexpr const char* kInstalled = "../" HELIORAY_MODULE_FOLDER;
    // The last folder is that of the Python package in a build tree, lib/python/helioray.
    for (const char* folder : {".", "helioray", "../lib", kInstalled, "../.."})
        paths.push_back((own / folder / file).lexically_normal());
    return paths;
}

/// Returns the path of a module, or an empty path if no folder contains it.
fs::path find(const std::string& file) {
    for (const fs::path& path : candidates(file)) {
        std::error_code error;
        if (fs::exists(path, error)) return path;
    }
    return {};
}

ModuleError not_found(const std::string& file) {
    return ModuleError("the module " + file + " was not found beside " + own_folder().string() +
                       "; " HELIORAY_MODULE_ADVICE " or name its folder in HELIORAY_MODULES");
}

std::string library_file(const std::string& name) {
    return "lib" + name + ".so";
}

void (*prepare_loading)(const std::string& file) = nullptr;

void* load(const std::string& name) {
    const std::string file = library_file(name);
    if (const fs::path path = find(file); !path.empty()) {
        if (prepare_loading != nullptr) prepare_loading(path.string());
        if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
        throw ModuleError(path.string() + " cannot be loaded: " + dlerror());
    }
    // dlopen() searches the rpaths of programs that use the installed libraries, LD_LIBRARY_PATH
    // and ld.so.conf.
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    throw not_found(file);
}

/// Returns the handle of a module, which the first call loads.
void* module(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, void*> loaded;
    {
        const std::lock_guard lock(mutex);
        if (const auto found = loaded.find(name); found != loaded.end()) return found->second;
    }
    // Do not hold the lock here, because preparations may wait for another thread. A module that is
    // loaded twice has one handle.
    void* handle = load(name);
    const std::lock_guard lock(mutex);
    return loaded[name] = handle;
}

}  // namespace

void before_loading(void (*prepare)(const std::string& file)) {
    prepare_loading = prepare;
}

void* module_function(const std::string& name, const char* function) {
    if (void* address = dlsym(module(name), function)) return address;
    throw ModuleError(library_file(name) + " has no function " + function +
                      "; it belongs to another version of HelioRay");
}

std::string module_file(const std::string& name) {
    const fs::path path = find(library_file(name));
    if (path.empty()) throw not_found(library_file(name));
    return path.string();
}

std::string module_problem(const std::string& name) {
    try {
        module(name);
        return "";
    } catch (const ModuleError& error) {
        return error.what();
    }
}

}  // namespace helioray
