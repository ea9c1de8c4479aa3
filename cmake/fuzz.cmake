# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/fuzz.cmake: every tests/fuzz/NAME.cpp is a fuzzer, fuzz_NAME. What reads its input is built
# with the sanitizers and counters; the layers below that only compute are as in any debug build,
# since their templates would take a quarter of an hour more.
set(fuzz_flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

foreach(folder core interop)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  add_library(fuzzed_${folder} OBJECT ${sources})
  target_link_libraries(fuzzed_${folder} PRIVATE weft_flags fmt::fmt spdlog::spdlog)
  target_compile_definitions(fuzzed_${folder} PRIVATE WEFT_VERSION="${PROJECT_VERSION}")
  target_compile_options(fuzzed_${folder} PRIVATE ${fuzz_flags} -fsanitize=fuzzer-no-link ${short_names})
endforeach()
target_precompile_headers(fuzzed_core PRIVATE cmake/std.h)
target_precompile_headers(fuzzed_interop REUSE_FROM fuzzed_core)

set(parts_of_expr fuzzed_core)
set(sources_of_expr tools/expr.cpp)
set(parts_of_npz fuzzed_core)
set(sources_of_npz interop/npy.cpp interop/npz.cpp)
set(parts_of_stablehlo fuzzed_core fuzzed_interop weft_runtime weft_tracer weft_batching
  weft_autodiff weft_ops)

file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  set(target fuzz_${name})
  list(TRANSFORM sources_of_${name} PREPEND ${PROJECT_SOURCE_DIR}/)
  add_executable(${target} ${source} ${sources_of_${name}})
  foreach(part IN LISTS parts_of_${name})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  target_compile_options(${target} PRIVATE ${fuzz_flags} -fsanitize=fuzzer-no-link ${short_names})
  target_link_libraries(${target} PRIVATE weft_flags fmt::fmt spdlog::spdlog ${with_runtime}
    PkgConfig::libzip Threads::Threads)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
endforeach()
