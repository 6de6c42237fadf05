// SPDX-License-Identifier: MIT
// Finds and loads modules.
#include "kernels/module.h"

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

/// Folder of the program or shared library that this function is linked into.
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
    // The last one: of the Python package in a build tree, lib/python/helioray.
    for (const char* folder : {".", "helioray", "../lib", kInstalled, "../.."})
        paths.push_back((own / folder / file).lexically_normal());
    return paths;
}

void* load(const std::string& name) {
    const std::string file = "lib" + name + ".so";
    const std::vector<fs::path> paths = candidates(file);
    for (const fs::path& path : paths) {
        std::error_code error;
        if (!fs::exists(path, error)) continue;
        if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
        throw ModuleError(path.string() + " cannot be loaded: " + dlerror());
    }
    // Rpaths of programs that use the installed libraries, LD_LIBRARY_PATH, ld.so.conf.
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    throw ModuleError("the module " + file + " was not found beside " + own_folder().string() +
                      "; build it (scripts/build; what needs CUDA with HELIORAY_CUDA=ON) or name "
                      "its folder in HELIORAY_MODULES");
}

/// The handle of a module, which the first call for it loads.
void* module(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, void*> loaded;
    const std::lock_guard lock(mutex);
    auto& handle = loaded[name];
    if (handle == nullptr) handle = load(name);
    return handle;
}

}  // namespace

void* module_function(const std::string& name, const char* function) {
    if (void* address = dlsym(module(name), function)) return address;
    throw ModuleError("lib" + name + ".so has no function " + function +
                      "; it belongs to another version of HelioRay");
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
