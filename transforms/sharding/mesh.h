// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/sharding/mesh.h: Mesh, a grid of lanes with a name for each axis, and PartitionSpec,
// which axes of an array are dealt out over which axes of a mesh.
#pragma once
#include <concepts>
#include <string>
#include <vector>

#include "weft/batching/axes.h"
#include "weft/tracer/tree.h"

namespace weft {

namespace sharding {

// One axis of a Mesh: {"data", 4}.
struct MeshAxis {
  std::string name;
  int64_t size;
};

// A grid of lanes whose axes have names: Mesh mesh({{"data", 4}, {"model", 2}}) has 8 lanes. All of
// them are of this process, and run on the device that the arrays are on. AxisNameError for a name
// that is empty or given twice, ShapeError for an axis without lanes. Source: jax.sharding.Mesh.
class Mesh {
 public:
  Mesh(std::initializer_list<MeshAxis> axes, typing::Location at = typing::Location::here());
  Mesh(std::vector<MeshAxis> axes, typing::Location at = typing::Location::here());
  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::vector<std::string> axis_names() const;
  Shape shape() const;   // the sizes of the axes
  int64_t size() const;  // the number of lanes

 private:
  std::vector<MeshAxis> axes_;
};
std::string to_string(const Mesh& m);  // "Mesh('data': 4, 'model': 2)"
// What to_string says of it, on a stream.
std::ostream& operator<<(std::ostream& s, const Mesh& m);

// What one axis of an array is dealt out over: none, one axis of a mesh, or several, {"data",
// "model"}, of which the last counts fastest.
struct SpecEntry {
  std::vector<std::string> names = {};
  bool given = true;
  SpecEntry(none_t) {}
  template <class N>
    requires(std::same_as<N, std::nullptr_t> || std::integral<N>)
  SpecEntry(N) {
    static_assert(!sizeof(N), "weft: what is not dealt out is `none`, what is has a name");
  }
  SpecEntry(const char* name) : names{name} {}
  SpecEntry(std::string name) : names{std::move(name)} {}
  SpecEntry(std::vector<std::string> list) : names(std::move(list)) {}
  SpecEntry(std::initializer_list<const char*> list) : names(list.begin(), list.end()) {}
  static SpecEntry absent();
};

// For each axis of an array, from the first on, what it is dealt out over; axes behind the last
// entry are whole in each lane. P() is an array that all lanes have. P("data", none), P({"data",
// "model"}), P(none, {"x", "y"}). Source: jax.sharding.PartitionSpec.
class PartitionSpec {
 public:
  PartitionSpec() = default;
  explicit PartitionSpec(SpecEntry a, SpecEntry b = SpecEntry::absent(),
                         SpecEntry c = SpecEntry::absent(), SpecEntry d = SpecEntry::absent(),
                         SpecEntry e = SpecEntry::absent(), SpecEntry f = SpecEntry::absent(),
                         SpecEntry g = SpecEntry::absent(), SpecEntry h = SpecEntry::absent());
  // One axis over several of the mesh.
  template <size_t N>
  explicit PartitionSpec(const char* const (&axes)[N])
      : entries_{std::vector<std::string>(axes, axes + N)} {}
  // Of any number of entries.
  explicit PartitionSpec(std::vector<SpecEntry> entries) : entries_(std::move(entries)) {}
  const std::vector<SpecEntry>& entries() const { return entries_; }

 private:
  std::vector<SpecEntry> entries_;
};
// The same as PartitionSpec. Source: jax.P.
using P = PartitionSpec;
std::string to_string(const PartitionSpec& p);  // "P('data', none)"
// What to_string says of it, on a stream.
std::ostream& operator<<(std::ostream& s, const PartitionSpec& p);

struct NamedSpecs;
// PartitionSpecs as a prefix of a tree, as in_axes of vmap are axes: P("data") of all arrays,
// {P("data"), P()}, one entry an argument or field, {{"w", P("model")}, {"b", P()}} by names.
class PartitionSpecs {
 public:
  PartitionSpecs(PartitionSpec spec) : specs_{std::move(spec)} {}
  PartitionSpecs(std::initializer_list<PartitionSpecs> entries);
  PartitionSpecs(std::initializer_list<NamedSpecs> entries);
  const std::vector<PartitionSpec>& specs() const { return specs_; }
  // The specs of the leaves of a tree, of which this must be a prefix (BatchingError).
  std::vector<const PartitionSpec*> match(const tree::Skeleton& tree, const char* caller,
                                          const char* parameter, const char* root) const;

 private:
  friend std::string to_string(const PartitionSpecs& s);
  Axes add(const PartitionSpecs& entry);

  std::vector<PartitionSpec> specs_;
  Axes prefix_ = 0;  // its ints are places in specs_
};
// The specs of one field of a struct or entry of a map, by its name: {"w", P("model")}.
struct NamedSpecs {
  typing::AxisKey key;
  PartitionSpecs specs;
};
std::string to_string(const PartitionSpecs& s);  // "(P('data'), {w: P()})"

// Which axes of an array are dealt out over those of this mesh. Source: jax.sharding.NamedSharding.
struct NamedSharding {
  Mesh mesh;
  PartitionSpec spec;
};

}  // namespace sharding

// The mesh of these sizes, with a name for each. ShapeError for another number of names. Source:
// jax.make_mesh.
sharding::Mesh make_mesh(const std::vector<int64_t>& axis_shapes,
                         const std::vector<std::string>& axis_names,
                         typing::Location at = typing::Location::here());

namespace detail {

// How the axes of one array are split over a mesh: each axis stands behind those that it is dealt
// out over.
struct SplitAxes {
  std::vector<int> of_mesh;     // where each axis of the mesh stands, -1: nowhere
  std::vector<int64_t> blocks;  // how many blocks each axis of the array has
};
// Unless each name is an axis of the mesh and given once: AxisNameError.
void check_spec(const sharding::PartitionSpec& spec, const sharding::Mesh& mesh, const char* who);
// What errors call an array: made for them alone, as it names a place in a tree.
using Who = ir::FunctionRef<std::string()>;
// Of an array of this rank; ShapeError for more entries.
SplitAxes split_axes(const sharding::PartitionSpec& spec, const sharding::Mesh& mesh, int rank,
                     Who who);
// The shape with its axes split; ShapeError for sizes that the blocks do not divide.
Shape split_shape(const Shape& s, const SplitAxes& a, const sharding::Mesh& mesh,
                  const sharding::PartitionSpec& spec, Who who);

}  // namespace detail
}  // namespace weft
