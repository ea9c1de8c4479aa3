// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/gpu_rows.cpp: times the rows of gpu_rows.h on a GPU, in wall-clock time until the
// results are available. ./dev gpu-bench calls it.
#include "gpu_rows.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>

#include "gpu_table.h"
#include "weft/version.h"

using namespace weft;
using namespace weft::programs;

namespace {

constexpr const char* usage =
    "usage: gpu_rows [--device cuda:0] [--only ROW]... [--tiny] [--size ROW=N]... [--seconds S]\n"
    "                [--peers FILE] [--json FILE] [--table FILE] | --sizes\n"
    "  --tiny     sizes of a test; --size: that of one row; --seconds: of repetitions, a row (2)\n"
    "  --sizes    print the rows and their sizes, as gpu_peers.py reads them, and time nothing\n"
    "  --peers    what gpu_peers.py has printed, for columns beside ours\n";

struct Options {
  std::string device = "cuda:0", peers, json, table;
  std::set<std::string> only;
  std::map<std::string, int64_t> sizes;
  double seconds = 2;
  bool tiny = false, list = false;
};

struct BadUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double positive_number(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (*end || !(x > 0) || x > 1e15) throw BadUsage("'" + text + "' is not a number above 0");
  return x;
}
std::string known_row(const std::string& name) {
  for (const GpuRow& r : gpu_rows())
    if (r.name == name) return name;
  throw BadUsage("there is no row '" + name + "'");
}

Options options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (++i == argc) throw BadUsage(option + " needs a value");
      return argv[i];
    };
    if (option == "--device")
      o.device = value();
    else if (option == "--peers")
      o.peers = value();
    else if (option == "--json")
      o.json = value();
    else if (option == "--table")
      o.table = value();
    else if (option == "--only")
      o.only.insert(known_row(value()));
    else if (option == "--seconds")
      o.seconds = positive_number(value());
    else if (option == "--tiny")
      o.tiny = true;
    else if (option == "--sizes")
      o.list = true;
    else if (option == "--size") {
      const std::string text = value();
      const size_t sign = text.find('=');
      if (sign == text.npos) throw BadUsage("--size: '" + text + "' is not ROW=N");
      o.sizes[known_row(text.substr(0, sign))] =
          static_cast<int64_t>(positive_number(text.substr(sign + 1)));
    } else
      throw BadUsage("unknown option '" + option + "'");
  }
  return o;
}

int64_t size_of(const GpuRow& r, const Options& o) {
  const auto own = o.sizes.find(r.name);
  return own != o.sizes.end() ? own->second : o.tiny ? r.tiny : r.size;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double seconds_of(const std::function<void()>& f) {
  const double t = now();
  f();
  return now() - t;
}

Measured measure(const GpuRow& r, int64_t n, double seconds) {
  Measured m;
  m.name = r.name;
  m.what = r.what;
  m.size = n;
  try {
    const Timed timed = r.make(n);
    m.first = seconds_of(timed.run);
    timed.run();
    std::vector<double> times;
    const double begin = now();
    while (times.size() < 3 || (times.size() < 1000 && now() - begin < seconds))
      times.push_back(seconds_of(timed.run) / timed.parts);
    std::sort(times.begin(), times.end());
    m.repetitions = times.size();
    m.low = times[times.size() / 4];
    m.median = times[times.size() / 2];
    m.high = times[times.size() * 3 / 4];
    m.bytes = timed.bytes / m.median;
    m.flops = timed.flops / m.median;
  } catch (const Error& e) {
    m.error = e.what();
  }
  return m;
}

// Reads lines of four fields separated by tabs: the kind of entry, the peer, the row, the value.
void read_peers(const std::string& file, std::map<std::string, Peer>& peers) {
  std::ifstream in(file);
  if (!in) throw BadUsage("cannot read " + file);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> field(1);
    for (const char c : line)
      if (c == '\t' && field.size() < 4)
        field.emplace_back();
      else
        field.back() += c;
    if (field.size() != 4) throw BadUsage(file + ": not from gpu_peers.py: " + line);
    Peer& p = peers[field[1]];
    if (field[0] == "version") p.version = field[3];
    if (field[0] == "missing") p.missing = field[3];
    if (field[0] == "time") p.times[field[2]] = positive_number(field[3]);
    if (field[0] == "error") p.errors[field[2]] = field[3];
  }
}

void write(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw BadUsage("cannot write " + file);
}

std::string today() {
  const std::time_t t = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&t));
  return text;
}

int run(const Options& o) {
  GpuReport report;
  report.date = today();
  report.weft = version();
  if (!o.list) {
    default_device(o.device);
    if (!detail::default_elsewhere()) throw BadUsage("'" + o.device + "' is no GPU");
    report.device = detail::default_elsewhere()->describe();
    if (!o.peers.empty()) read_peers(o.peers, report.peers);
  }
  bool failed = false;
  for (const GpuRow& r : gpu_rows()) {
    if (!o.only.empty() && !o.only.contains(r.name)) continue;
    const int64_t n = size_of(r, o);
    if (o.list) {
      std::cout << r.name << " " << n << "\n";
      continue;
    }
    report.rows.push_back(measure(r, n, o.seconds));
    const Measured& m = report.rows.back();
    failed = failed || !m.error.empty();
    std::cerr << m.name << ": " << (m.error.empty() ? milliseconds(m.median) + " ms" : m.error)
              << "\n";
  }
  if (o.list) return 0;
  std::cout << table_of(report);
  write(o.table, table_of(report));
  write(o.json, json_of(report));
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(options(argc, argv));
  } catch (const BadUsage& e) {
    std::cerr << "gpu_rows: " << e.what() << "\n" << usage;
  } catch (const DeviceError& e) {
    std::cerr << "gpu_rows: " << e.what() << "\n";
  }
  return 2;
}
