// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/open.cpp: finds the libraries and fills their tables.
#include "runtime/cuda/libraries/open.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "weft/error.h"

namespace weft::cuda {
namespace {

// A file name of the library, and the CUDA version that it needs.
struct File {
  const char* name;
  int cuda;
};
using Files = std::vector<File>;  // newest first

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Paths to try: the folder WEFT_CUDA_LIBRARIES if it is set, else the system's search path and then
// CUDA_HOME.
std::vector<std::string> places_of(const char* file) {
  if (const std::string folder = setting("WEFT_CUDA_LIBRARIES"); !folder.empty())
    return {folder + "/" + file};
  std::vector<std::string> places = {file};
  if (const std::string home = setting("CUDA_HOME"); !home.empty())
    places.push_back(home + "/lib64/" + file);
  return places;
}

// Opens the library, or returns null; *why is the most informative error of the loader.
void* open_first(const Files& files, int cuda, Library& l, std::string* why) {
  for (const File& f : files) {
    if (f.cuda > cuda) continue;
    for (const std::string& place : places_of(f.name)) {
      if (void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        l.file = place;
        return library;
      }
      // The error of a file that exists but does not load is preferred to "no such file".
      const char* const said = dlerror();
      const bool there = said && !std::string(said).starts_with(place + ": cannot open");
      if (said && (why->empty() || there)) *why = said;
    }
  }
  return nullptr;
}

void* open_library(std::string_view title, const Files& files, const Driver& d, Library& l) {
  const int cuda = d.version / 1000;
  std::string why;
  void* const library = open_first(files, cuda, l, &why);
  if (!library) {
    std::vector<std::string> names;
    for (const File& f : files)
      if (f.cuda <= cuda) names.emplace_back(f.name);
    const std::string folder = setting("WEFT_CUDA_LIBRARIES");
    l.missing = fmt::format(
        "{} is not there: {} could not be opened{} ({}); install NVIDIA's CUDA toolkit for a "
        "driver "
        "of CUDA {}.{}, or name the folder that has its libraries by WEFT_CUDA_LIBRARIES",
        title, fmt::join(names, ", "), folder.empty() ? "" : " in " + folder, why, cuda,
        d.version % 1000 / 10);
  } else if ((dlsym(library, "weft_emulated_library") != nullptr) != d.emulated) {
    l.missing = fmt::format(
        "{}: {} is {} an emulated GPU; name another folder by "
        "WEFT_CUDA_LIBRARIES",
        title, l.file, d.emulated ? "not for" : "only for");
  }
  return l.missing.empty() ? library : nullptr;
}

template <class F>
void resolve(void* from, const char* symbol, std::string_view title, Library& l, F& f) {
  f = reinterpret_cast<F>(dlsym(from, symbol));
  if (!f && l.missing.empty())
    l.missing = fmt::format("{}: {} has no entry point {}; update it", title, l.file, symbol);
}

template <class L>
void ask_version(L& l) {
  if (!l.missing.empty()) return;
  for (int part = 0; part < 3; ++part) {
    int n = 0;
    if (l.property(part, &n) != 0) return;
    l.version += fmt::format("{}{}", part ? "." : "", n);
  }
}

// fill(l, library) resolves the table's entry points.
template <class L, class Fill>
const L& opened(std::string_view title, const Files& files, const Driver& d, Fill fill) {
  static const L library = [&] {
    L l;
    if (void* const from = open_library(title, files, d, l)) fill(l, from);
    ask_version(l);
    return l;
  }();
  return library;
}

}  // namespace

#define WEFT_CUDA_RESOLVE(name, symbol, parameters) resolve(from, #symbol, title, l, at.name);
// Resolves the entries for each of the four element types.
#define WEFT_CUDA_RESOLVE_TYPED(ENTRIES_OF)                                  \
  const auto s = [&](auto& at) { ENTRIES_OF(WEFT_CUDA_RESOLVE, S, or, sy) }; \
  const auto f = [&](auto& at) { ENTRIES_OF(WEFT_CUDA_RESOLVE, D, or, sy) }; \
  const auto c = [&](auto& at) { ENTRIES_OF(WEFT_CUDA_RESOLVE, C, un, he) }; \
  const auto z = [&](auto& at) { ENTRIES_OF(WEFT_CUDA_RESOLVE, Z, un, he) }; \
  s(l.typed[0]), f(l.typed[1]), c(l.typed[2]), z(l.typed[3]);

const Solver& solver(const Driver& d) {
  const Files files = {{"libcusolver.so.12", 13}, {"libcusolver.so.11", 11}};
  return opened<Solver>(cusolver, files, d, [title = cusolver](Solver& l, void* from) {
    const auto common = [&](auto& at) { WEFT_CUSOLVER_ENTRIES(WEFT_CUDA_RESOLVE) };
    common(l);
    WEFT_CUDA_RESOLVE_TYPED(WEFT_CUSOLVER_ENTRIES_OF)
  });
}

const Blas& blas(const Driver& d) {
  const Files files = {{"libcublas.so.13", 13}, {"libcublas.so.12", 12}, {"libcublas.so.11", 11}};
  return opened<Blas>(cublas, files, d, [title = cublas](Blas& l, void* from) {
    const auto common = [&](auto& at) { WEFT_CUBLAS_ENTRIES(WEFT_CUDA_RESOLVE) };
    common(l);
    WEFT_CUDA_RESOLVE_TYPED(WEFT_CUBLAS_ENTRIES_OF)
  });
}

const BlasLt& blas_lt(const Driver& d) {
  const Files files = {
      {"libcublasLt.so.13", 13}, {"libcublasLt.so.12", 12}, {"libcublasLt.so.11", 11}};
  return opened<BlasLt>(cublaslt, files, d, [title = cublaslt](BlasLt& l, void* from) {
    BlasLt& at = l;
    WEFT_CUBLASLT_ENTRIES(WEFT_CUDA_RESOLVE)
  });
}

const Fft& fft(const Driver& d) {
  const Files files = {{"libcufft.so.12", 13}, {"libcufft.so.11", 12}, {"libcufft.so.10", 11}};
  return opened<Fft>(cufft, files, d, [title = cufft](Fft& l, void* from) {
    Fft& at = l;
    WEFT_CUFFT_ENTRIES(WEFT_CUDA_RESOLVE)
  });
}

// cuDNN is numbered independently of CUDA: each version supports several CUDA versions.
const Dnn& dnn(const Driver& d) {
  const Files files = {{"libcudnn.so.9", 11}, {"libcudnn.so.8", 11}};
  return opened<Dnn>(cudnn, files, d, [title = cudnn](Dnn& l, void* from) {
    Dnn& at = l;
    WEFT_CUDNN_ENTRIES(WEFT_CUDA_RESOLVE)
  });
}
#undef WEFT_CUDA_RESOLVE_TYPED
#undef WEFT_CUDA_RESOLVE

const Library& library(std::string_view name, const Driver& d) {
  if (name == cusolver) return solver(d);
  if (name == cublas) return blas(d);
  if (name == cublaslt) return blas_lt(d);
  if (name == cufft) return fft(d);
  if (name == cudnn) return dnn(d);
  throw InternalError(fmt::format("there is no library '{}' of GPUs", name));
}

std::vector<std::pair<std::string, std::string>> all_libraries(const Driver& d) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string_view name : {cublas, cublaslt, cusolver, cufft, cudnn}) {
    const Library& l = library(name, d);
    all.emplace_back(name,
                     l.missing.empty() ? fmt::format("{} ({})", l.version, l.file) : l.missing);
  }
  return all;
}

}  // namespace weft::cuda
