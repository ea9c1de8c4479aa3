// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/page.h: the command line of a program that writes one generated page of docs/. PROGRAM DIR
// writes it; PROGRAM --check DIR fails if the file differs.
#pragma once
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace weft::pages {

inline int fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The text in lines of up to 100 bytes, which end at blanks. All but the first begin with `indent`.
inline std::string wrapped(const std::string& text, const std::string& indent = "") {
  std::istringstream words(text);
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > 100) {
      out += line + '\n';
      line = indent + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line + '\n';
}

// text(folder) returns the page; the folder contains the pages.
template <class Text>
int run(int argc, char** argv, const char* page, const Text& text) try {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !check) {
    fail("usage: " + std::string(argv[0]) + " [--check] DIR");
    return 2;
  }
  const std::string folder = argv[argc - 1], path = folder + "/" + page;
  const std::string now = text(folder);
  if (check) {
    if (read_file(path) == now) return 0;
    return fail(path + " is out of date: run ./dev docs");
  }
  std::ofstream out(path, std::ios::binary);
  out << now;
  return out.flush() ? 0 : fail("cannot write " + path);
} catch (const std::exception& e) {
  return fail(std::string(page) + ": " + e.what());
}

}  // namespace weft::pages
