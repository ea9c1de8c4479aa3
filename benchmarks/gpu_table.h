// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/gpu_table.h: times measured on a GPU, as JSON and as a Markdown table.
#pragma once
#include <cstdint>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace weft::programs {

// Times are in seconds.
struct Measured {
  std::string name, what, error;  // if there is an error, there are no times
  int64_t size = 0;
  double first = 0, low = 0, median = 0, high = 0;  // the first call; the quartiles
  size_t repetitions = 0;
  double bytes = 0, flops = 0;  // per second
};
struct Peer {
  // exactly one is set: "0.10.2 on NVIDIA H100", or why it was not measured
  std::string version, missing;
  std::map<std::string, double> times;        // by row
  std::map<std::string, std::string> errors;  // by row
};
struct GpuReport {
  std::string date, device, weft;
  std::vector<Measured> rows;
  std::map<std::string, Peer> peers;
};

inline std::string digits(const char* format, double x) {
  char text[64];
  std::snprintf(text, sizeof text, format, x);
  return text;
}
inline std::string quoted(const std::string& s) {
  std::string q = "\"";
  for (const char c : s) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
    const bool plain = static_cast<unsigned char>(c) >= 32 && c != '"' && c != '\\';
    q += plain ? std::string(1, c) : std::string(escaped);
  }
  return q + '"';
}
// The bandwidth relative to the driver's own copy; 0 if the latter was not measured.
inline double share_of_copy(const GpuReport& r, const Measured& m) {
  for (const Measured& c : r.rows)
    if (c.name == "copy" && c.bytes > 0) return m.bytes / c.bytes;
  return 0;
}

inline std::string json_of(const GpuReport& r, const Measured& m) {
  std::ostringstream s;
  s << "{\"name\": " << quoted(m.name) << ", \"what\": " << quoted(m.what)
    << ", \"size\": " << m.size;
  if (!m.error.empty()) {
    s << ", \"error\": " << quoted(m.error);
  } else {
    s << digits(", \"first_s\": %.6g", m.first) << digits(", \"q1_s\": %.6g", m.low)
      << digits(", \"median_s\": %.6g", m.median) << digits(", \"q3_s\": %.6g", m.high)
      << ", \"repetitions\": " << m.repetitions;
    if (m.bytes > 0)
      s << digits(", \"bytes_per_s\": %.6g", m.bytes)
        << digits(", \"share_of_copy\": %.4g", share_of_copy(r, m));
    if (m.flops > 0) s << digits(", \"flops_per_s\": %.6g", m.flops);
  }
  for (const auto& [name, peer] : r.peers) {
    const auto t = peer.times.find(m.name);
    const auto e = peer.errors.find(m.name);
    if (t != peer.times.end()) s << ", \"" << name << digits("_s\": %.6g", t->second);
    if (e != peer.errors.end()) s << ", \"" << name << "_error\": " << quoted(e->second);
  }
  s << "}";
  return s.str();
}
inline std::string json_of(const GpuReport& r) {
  std::ostringstream s;
  s << "{\"date\": " << quoted(r.date) << ",\n \"device\": " << quoted(r.device)
    << ",\n \"weft\": " << quoted(r.weft) << ",\n \"peers\": {";
  const char* comma = "";
  for (const auto& [name, peer] : r.peers) {
    const bool there = peer.missing.empty();
    s << comma << quoted(name) << ": {" << (there ? "\"version\": " : "\"missing\": ")
      << quoted(there ? peer.version : peer.missing) << "}";
    comma = ", ";
  }
  s << "},\n \"rows\": [";
  comma = "";
  for (const Measured& m : r.rows) {
    s << comma << "\n  " << json_of(r, m);
    comma = ",";
  }
  s << "\n ]}\n";
  return s.str();
}

inline std::string milliseconds(double seconds) {
  return digits(seconds < 1e-4 ? "%.5f" : seconds < 1e-1 ? "%.3f" : "%.1f", 1e3 * seconds);
}
inline std::string table_of(const GpuReport& r) {
  std::ostringstream s;
  s << r.date << ", " << r.device << ", Weft " << r.weft << ".\n";
  for (const auto& [name, peer] : r.peers)
    s << name << ": " << (peer.missing.empty() ? peer.version : "not there: " + peer.missing)
      << ".\n";
  s << "\n| row | N | Weft, ms | quartiles | first call, ms | GB/s | of the copy | TFLOP/s |";
  for (const auto& [name, peer] : r.peers) s << " " << name << ", ms | × |";
  s << "\n|---|--:|--:|---|--:|--:|--:|--:|";
  for (size_t i = 0; i < r.peers.size(); ++i) s << "--:|--:|";
  for (const Measured& m : r.rows) {
    s << "\n| " << m.name << ": " << m.what << " | " << m.size << " | ";
    if (m.error.empty()) {
      s << milliseconds(m.median) << " | " << milliseconds(m.low) << "–" << milliseconds(m.high)
        << " | " << milliseconds(m.first) << " | "
        << (m.bytes > 0 ? digits("%.0f", m.bytes / 1e9) : "") << " | "
        << (m.bytes > 0 ? digits("%.0f %%", 100 * share_of_copy(r, m)) : "") << " | "
        << (m.flops > 0 ? digits("%.1f", m.flops / 1e12) : "") << " |";
    } else {
      s << "failed | | | | | |";
    }
    for (const auto& [name, peer] : r.peers) {
      const auto t = peer.times.find(m.name);
      if (t == peer.times.end())
        s << (peer.errors.contains(m.name) ? " failed | |" : " | |");
      else
        s << " " << milliseconds(t->second) << " | "
          << (m.error.empty() ? digits("%.2f", t->second / m.median) : "") << " |";
    }
  }
  s << "\n";
  for (const Measured& m : r.rows)
    if (!m.error.empty()) s << "\n" << m.name << ": " << m.error << "\n";
  return s.str();
}

}  // namespace weft::programs
