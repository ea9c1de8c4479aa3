# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/fuzz.cmake: every tests/fuzz/NAME.cpp becomes a fuzzer, fuzz_NAME. All parts of Weft that an
# input can reach are built with the sanitizers and coverage counters.
set(fuzz_flags -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
  -fno-omit-frame-pointer)

foreach(folder core interop runtime tracer batching autodiff ops)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  add_library(fuzzed_${folder} OBJECT ${sources})
  target_link_libraries(fuzzed_${folder} PRIVATE weft_flags fmt::fmt spdlog::spdlog ${with_runtime})
  target_include_directories(fuzzed_${folder} SYSTEM PRIVATE ${dnnl_include})
  target_compile_definitions(fuzzed_${folder} PRIVATE WEFT_VERSION="${PROJECT_VERSION}")
  target_compile_options(fuzzed_${folder} PRIVATE ${fuzz_flags} ${short_names})
  if(folder MATCHES "^(core|ops)$")
    target_precompile_headers(fuzzed_${folder} PRIVATE cmake/std.h)
  else()
    target_precompile_headers(fuzzed_${folder} REUSE_FROM fuzzed_core)
  endif()
endforeach()
# With sanitizers, its templates would take the optimizer three times as long as all other files.
target_compile_options(fuzzed_ops PRIVATE -O0)

set(parts_of_expr fuzzed_core)
set(sources_of_expr tools/weft/expr.cpp)
set(parts_of_npz fuzzed_core)
set(sources_of_npz interop/npy.cpp interop/npz.cpp)
set(parts_of_safetensors fuzzed_core)
set(sources_of_safetensors interop/safetensors.cpp)
set(parts_of_stablehlo fuzzed_core fuzzed_interop fuzzed_runtime fuzzed_tracer fuzzed_batching
  fuzzed_autodiff fuzzed_ops)

file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  set(target fuzz_${name})
  list(TRANSFORM sources_of_${name} PREPEND ${PROJECT_SOURCE_DIR}/)
  add_executable(${target} ${source} ${sources_of_${name}})
  foreach(part IN LISTS parts_of_${name})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${target} PRIVATE ${fuzz_flags} ${short_names})
  target_link_libraries(${target} PRIVATE weft_flags fmt::fmt spdlog::spdlog ${with_runtime}
    PkgConfig::libzip Threads::Threads ${dnnl_library})
  target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
endforeach()
