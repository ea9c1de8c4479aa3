// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/mesh.cpp: checks and texts of meshes and specs, and how a spec splits axes.
#include "weft/sharding/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/ir.h"

namespace weft {
using namespace sharding;
namespace {

std::string quoted(const std::vector<std::string>& names) {
  return fmt::format("'{}'", fmt::join(names, "', '"));
}
void check_mesh(const std::vector<MeshAxis>& axes, Location at) {
  const ir::SourceScope source(at);
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::string& name = axes[i].name;
    if (name.empty())
      throw AxisNameError(fmt::format("Mesh: axis {} has no name; write {{\"data\", 4}}", i));
    if (std::any_of(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const MeshAxis& a) { return a.name == name; }))
      throw AxisNameError(fmt::format("Mesh: axis '{}' is named twice", name));
    if (axes[i].size < 1)
      throw ShapeError(
          fmt::format("Mesh: axis '{}' must have at least one lane, got {}", name, axes[i].size));
  }
  int64_t lanes = 1;
  for (const MeshAxis& a : axes) lanes = ir::checked_mul(lanes, a.size);
}

}  // namespace

Mesh::Mesh(std::initializer_list<MeshAxis> axes, Location at)
    : Mesh(std::vector<MeshAxis>(axes), at) {}
Mesh::Mesh(std::vector<MeshAxis> axes, Location at) : axes_(std::move(axes)) {
  check_mesh(axes_, at);
}
std::vector<std::string> Mesh::axis_names() const {
  std::vector<std::string> names;
  for (const MeshAxis& a : axes_) names.push_back(a.name);
  return names;
}
Shape Mesh::shape() const {
  std::vector<int64_t> sizes;
  for (const MeshAxis& a : axes_) sizes.push_back(a.size);
  return Shape(std::move(sizes));
}
int64_t Mesh::size() const { return shape().elements(); }

Mesh make_mesh(const std::vector<int64_t>& axis_shapes, const std::vector<std::string>& axis_names,
               Location at) {
  const ir::SourceScope source(at);
  if (axis_shapes.size() != axis_names.size())
    throw ShapeError(
        fmt::format("make_mesh: {} sizes, but {} names", axis_shapes.size(), axis_names.size()));
  std::vector<MeshAxis> axes;
  for (size_t i = 0; i < axis_names.size(); ++i) axes.push_back({axis_names[i], axis_shapes[i]});
  return Mesh(std::move(axes), at);
}

std::string sharding::to_string(const Mesh& m) {
  std::vector<std::string> axes;
  for (const MeshAxis& a : m.axes()) axes.push_back(fmt::format("'{}': {}", a.name, a.size));
  return fmt::format("Mesh({})", fmt::join(axes, ", "));
}
std::ostream& sharding::operator<<(std::ostream& s, const Mesh& m) { return s << to_string(m); }

SpecEntry SpecEntry::absent() {
  SpecEntry e = none;
  e.given = false;
  return e;
}

PartitionSpec::PartitionSpec(SpecEntry a, SpecEntry b, SpecEntry c, SpecEntry d, SpecEntry e,
                             SpecEntry f, SpecEntry g, SpecEntry h) {
  for (SpecEntry* entry : {&a, &b, &c, &d, &e, &f, &g, &h})
    if (entry->given) entries_.push_back(std::move(*entry));
}

std::string sharding::to_string(const PartitionSpec& p) {
  std::vector<std::string> entries;
  for (const SpecEntry& e : p.entries())
    entries.push_back(e.names.empty()       ? "none"
                      : e.names.size() == 1 ? quoted(e.names)
                                            : "{" + quoted(e.names) + "}");
  return fmt::format("P({})", fmt::join(entries, ", "));
}
std::ostream& sharding::operator<<(std::ostream& s, const PartitionSpec& p) {
  return s << to_string(p);
}

namespace {

// Returns `a` with n added to its indices.
Axes moved(Axes a, int64_t n) {
  a.axis += n;
  for (Axes& child : a.children) child = moved(std::move(child), n);
  return a;
}

}  // namespace

PartitionSpecs::PartitionSpecs(std::initializer_list<PartitionSpecs> entries) {
  std::vector<Axes> children;
  for (const PartitionSpecs& e : entries) children.push_back(add(e));
  prefix_ = Axes(std::move(children));
}
PartitionSpecs::PartitionSpecs(std::initializer_list<NamedSpecs> entries) {
  prefix_.kind = Axes::Map;
  for (const NamedSpecs& e : entries) {
    prefix_.keys.push_back(e.key.name);
    prefix_.children.push_back(add(e.specs));
  }
}
Axes PartitionSpecs::add(const PartitionSpecs& entry) {
  const int64_t before = std::ssize(specs_);
  specs_.insert(specs_.end(), entry.specs_.begin(), entry.specs_.end());
  return moved(entry.prefix_, before);
}
std::string sharding::to_string(const PartitionSpecs& s) {
  return detail::text_of(s.prefix_, [&](int64_t at) { return to_string(s.specs_[at]); });
}

std::vector<const PartitionSpec*> PartitionSpecs::match(const tree::detail::Skeleton& tree,
                                                        const char* caller, const char* parameter,
                                                        const char* root) const {
  const auto text = [&] { return to_string(*this); };
  std::vector<const PartitionSpec*> out;
  for (const auto& place :
       detail::match_prefix(prefix_, tree, root, {caller, parameter, "specs", text}))
    out.push_back(&specs_[*place]);
  return out;
}

namespace detail {

namespace {

// Returns the index of the axis in the mesh, or the number of axes if the mesh does not have it.
size_t place_of(const Mesh& mesh, const std::string& name) {
  const auto& axes = mesh.axes();
  return static_cast<size_t>(
      std::find_if(axes.begin(), axes.end(), [&](const MeshAxis& a) { return a.name == name; }) -
      axes.begin());
}
// Returns the names of the mesh axes over which axis d of an array is partitioned.
const std::vector<std::string>& names_of(const PartitionSpec& spec, size_t d) {
  static const std::vector<std::string> nothing;
  return d < spec.entries().size() ? spec.entries()[d].names : nothing;
}

}  // namespace

void check_spec(const PartitionSpec& spec, const Mesh& mesh, const char* who) {
  std::vector<std::string> seen;
  for (const SpecEntry& e : spec.entries())
    for (const std::string& name : e.names) {
      if (place_of(mesh, name) == mesh.axes().size())
        throw AxisNameError(
            fmt::format("{}: {} names the axis '{}', but the mesh has {}", who, to_string(spec),
                        name, mesh.axes().empty() ? "no axes" : quoted(mesh.axis_names())));
      if (std::find(seen.begin(), seen.end(), name) != seen.end())
        throw AxisNameError(
            fmt::format("{}: {} names the axis '{}' twice", who, to_string(spec), name));
      seen.push_back(name);
    }
}

SplitAxes split_axes(const PartitionSpec& spec, const Mesh& mesh, int rank, Who who) {
  if (std::ssize(spec.entries()) > rank)
    throw ShapeError(fmt::format("{}: {} has {} entries, but the array has {} axes", who(),
                                 to_string(spec), spec.entries().size(), rank));
  SplitAxes r{std::vector<int>(mesh.axes().size(), -1),
              std::vector<int64_t>(static_cast<size_t>(rank), 1)};
  int next = 0;
  for (size_t d = 0; d < r.blocks.size(); ++d, ++next)
    for (const std::string& name : names_of(spec, d)) {
      const size_t k = place_of(mesh, name);
      r.of_mesh[k] = next++;
      r.blocks[d] *= mesh.axes()[k].size;
    }
  return r;
}

Shape split_shape(const Shape& s, const SplitAxes& a, const Mesh& mesh, const PartitionSpec& spec,
                  Who who) {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < s.size(); ++d) {
    const int64_t n = s.sizes()[d];
    if (n % a.blocks[d] != 0)
      throw ShapeError(
          fmt::format("{}: {} partitions axis {} of the array of shape {} over {} lanes, which do "
                      "not divide {}",
                      who(), to_string(spec), d, to_string(s), a.blocks[d], n));
    for (const std::string& name : names_of(spec, d))
      sizes.push_back(mesh.axes()[place_of(mesh, name)].size);
    sizes.push_back(n / a.blocks[d]);
  }
  return Shape(std::move(sizes));
}

}  // namespace detail
}  // namespace weft
