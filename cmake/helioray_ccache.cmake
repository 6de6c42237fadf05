# ccache, when present, makes repeated builds cheap. Precompiled headers need the sloppiness: their own files carry times, and
# macros are compared by the compiler. With paths relative to the sources, a build in another clone or of the Python package finds what
# this one has compiled.
find_program(HELIORAY_CCACHE ccache)
if(HELIORAY_CCACHE)
    set(base_dir "")
    if(NOT DEFINED ENV{CCACHE_BASEDIR})
        set(base_dir CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${base_dir}
        ${HELIORAY_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${HELIORAY_CCACHE})
endif()
