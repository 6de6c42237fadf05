# ccache, when present, makes repeated builds cheap. Precompiled headers need the sloppiness: their own files carry times, and
# macros are compared by the compiler.
find_program(HELIORAY_CCACHE ccache)
if(HELIORAY_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${HELIORAY_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${HELIORAY_CCACHE})
endif()
