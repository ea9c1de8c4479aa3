// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/modules.cpp: StableHLO modules of other libraries as functions of one lane.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "benchmarks/laws/program.h"
#include "tools/weft/apply.h"
#include "tools/weft/arrays_file.h"
#include "tools/weft/program_file.h"

namespace weft::speed {
namespace {

namespace fs = std::filesystem;
using MappedAxes = std::vector<std::optional<int64_t>>;

// One axis for each argument.
MappedAxes each_axis(const tools::AxesExpr& a, size_t n) {
  return a.each ? a.entries : MappedAxes(n, a.entries[0]);
}

// Repeats the recorded lanes.
Array tiled(const Array& x, int64_t axis, int64_t lanes) {
  const Array front = axis == 0 ? x : moveaxis(x, static_cast<int>(axis), 0);
  return take(front, arange(lanes) % front.shape()[0], 0);
}

Program mapped_module(const std::string& folder) {
  std::string text;
  try {
    const auto meta = nlohmann::json::parse(tools::read_text(folder + "/meta.json"));
    text = meta.at("apply").get<std::string>();
  } catch (const nlohmann::json::exception& e) {
    throw FormatError(folder + "/meta.json: " + e.what());
  }
  const ClosedJaxpr module = tools::load_program(folder + "/one.mlir").program;
  tools::ParsedExpr e = tools::parse_expr(text);
  if (e.root.kind != tools::Expr::Kind::vmap)
    throw FormatError(folder + "/meta.json: apply is not a vmap: " + text);
  const tools::Applied whole = tools::apply(e, module);
  Arrays x = tools::read_inputs(folder + "/in.npz", whole.n_in, {});
  tools::fit_inputs(folder, x, whole.in_types(2), whole.in_types(3));
  const MappedAxes axes = each_axis(e.root.in_axes, whole.n_in);
  tools::Expr inner = std::move(*e.root.inner);
  e.root = std::move(inner);
  const tools::Applied lane = tools::apply(e, module);
  Program p;
  p.lane = lane.f;
  p.in = lane.in_types(1);
  for (const auto& a : axes) p.mapped.push_back(a.has_value());
  p.arguments = [x, axes](int64_t lanes) {
    Arrays all;
    for (size_t k = 0; k < x.size(); ++k)
      all.push_back(axes[k] ? tiled(x[k], *axes[k], lanes) : x[k]);
    return all;
  };
  return p;
}

// All lanes have the same arguments, as recorded.
Program whole_module(const std::string& folder) {
  const tools::ProgramFile file = tools::load_program(folder + "/whole.mlir");
  Program p;
  p.lane = [module = file.program](const Arrays& x) { return eval_jaxpr(module, x); };
  p.in = file.program.in_types();
  p.mapped.assign(p.in.size(), true);
  Arrays x = tools::read_inputs(folder + "/in.npz", p.in.size(), {});
  tools::fit_inputs(folder, x, p.in, p.in);
  p.arguments = [x](int64_t lanes) {
    Arrays all;
    for (const Array& a : x) all.push_back(tiled(expand_dims(a, 0), 0, lanes));
    return all;
  };
  return p;
}

}  // namespace

Sources modules(const std::string& dir) {
  std::vector<std::string> folders;
  std::error_code failed;
  for (const auto& e : fs::directory_iterator(dir, failed))
    if (fs::exists(e.path() / "in.npz")) folders.push_back(e.path().string());
  if (failed) throw FormatError(dir + ": " + failed.message());
  std::sort(folders.begin(), folders.end());
  Sources all;
  for (const std::string& f : folders) {
    const std::string name = "module/" + fs::path(f).filename().string();
    if (fs::exists(f + "/one.mlir"))
      all.push_back({name, [f] { return mapped_module(f); }});
    else if (fs::exists(f + "/whole.mlir"))
      all.push_back({name, [f] { return whole_module(f); }});
  }
  return all;
}

}  // namespace weft::speed
