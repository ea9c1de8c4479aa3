# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/ccache.cmake: compiles through ccache if it is installed.
find_program(WEFT_CCACHE ccache DOC "Compiler cache; empty for none")
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness setting is required by precompiled headers. Paths are relative, so that checkouts
  # share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${WEFT_CCACHE})
endif()
