// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/version.cpp: the version from the build configuration, and the hash that the linker stored
// in a note of the library.
#include "weft/version.h"

#include <link.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace weft {
namespace {

const char here = 0;  // an address in this library

bool holds_us(const dl_phdr_info& library) {
  const auto at = reinterpret_cast<uintptr_t>(&here) - library.dlpi_addr;
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& part = library.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && at >= part.p_vaddr && at - part.p_vaddr < part.p_memsz)
      return true;
  }
  return false;
}

// Finds the build id among ELF notes of `bytes` bytes in all. A note is a header, a name and a
// description, each padded to four bytes.
std::string id_among_notes(const char* notes, size_t bytes) {
  const auto filled = [](size_t n) { return (n + 3) & ~size_t{3}; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof head);
    const size_t name = at + sizeof head, text = name + filled(head.n_namesz);
    const size_t end = text + filled(head.n_descsz);
    if (end > bytes) break;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
        !std::memcmp(notes + name, "GNU", 4))
      return std::string(notes + text, head.n_descsz);
    at = end;
  }
  return {};
}

int look(dl_phdr_info* library, size_t, void* result) {
  if (!holds_us(*library)) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    std::string id =
        id_among_notes(std::bit_cast<const char*>(library->dlpi_addr + part.p_vaddr), part.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = std::move(id);
  }
  return 1;
}

}  // namespace

std::string version() { return WEFT_VERSION; }

const std::string& ir::build_id() {
  static const auto& id = *[] {
    auto* const found = new std::string;
    dl_iterate_phdr(look, found);
    return found;
  }();
  return id;
}

}  // namespace weft
