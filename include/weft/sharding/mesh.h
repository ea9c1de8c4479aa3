// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/sharding/mesh.h: Mesh, a grid of lanes with named axes, and PartitionSpec, the
// partitioning of the axes of an array over those of a mesh.
#pragma once
#include <concepts>
#include <string>
#include <vector>

#include "weft/tree.h"
#include "weft/vmap/axes.h"

namespace weft {

namespace sharding {

// One axis of a Mesh: {"data", 4}.
struct MeshAxis {
  std::string name;
  int64_t size;
};

// A grid of lanes with named axes: Mesh mesh({{"data", 4}, {"model", 2}}) has 8 lanes. All lanes
// belong to this process and run on the device of the arrays. Raises AxisNameError for a name that
// is empty or given twice, and ShapeError for an axis without lanes. Source: jax.sharding.Mesh.
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
// Writes to_string(m) to a stream.
std::ostream& operator<<(std::ostream& s, const Mesh& m);

// The axes of a mesh over which one axis of an array is partitioned: none, one, or several,
// {"data", "model"}. The last one varies fastest.
struct SpecEntry {
  std::vector<std::string> names = {};
  bool given = true;
  SpecEntry(none_t) {}
  template <class N>
    requires(std::same_as<N, std::nullptr_t> || std::integral<N>)
  SpecEntry(N) {
    static_assert(!sizeof(N),
                  "weft: the entry of an axis is the name of a mesh axis, or `none` if it is not "
                  "partitioned");
  }
  SpecEntry(const char* name) : names{name} {}
  SpecEntry(std::string name) : names{std::move(name)} {}
  SpecEntry(std::vector<std::string> list) : names(std::move(list)) {}
  SpecEntry(std::initializer_list<const char*> list) : names(list.begin(), list.end()) {}
  static SpecEntry absent();
};

// The partitioning of each axis of an array, from the first axis on. Axes after the last entry are
// not partitioned. P() is an array that is replicated in all lanes. Examples: P("data", none),
// P({"data", "model"}), P(none, {"x", "y"}). Source: jax.sharding.PartitionSpec.
class PartitionSpec {
 public:
  PartitionSpec() = default;
  explicit PartitionSpec(SpecEntry a, SpecEntry b = SpecEntry::absent(),
                         SpecEntry c = SpecEntry::absent(), SpecEntry d = SpecEntry::absent(),
                         SpecEntry e = SpecEntry::absent(), SpecEntry f = SpecEntry::absent(),
                         SpecEntry g = SpecEntry::absent(), SpecEntry h = SpecEntry::absent());
  // Partitions one axis over several axes of the mesh.
  template <size_t N>
  explicit PartitionSpec(const char* const (&axes)[N])
      : entries_{std::vector<std::string>(axes, axes + N)} {}
  // Takes any number of entries.
  explicit PartitionSpec(std::vector<SpecEntry> entries) : entries_(std::move(entries)) {}
  const std::vector<SpecEntry>& entries() const { return entries_; }

 private:
  std::vector<SpecEntry> entries_;
};
// The same as PartitionSpec. Source: jax.P.
using P = PartitionSpec;
std::string to_string(const PartitionSpec& p);  // "P('data', none)"
// Writes to_string(p) to a stream.
std::ostream& operator<<(std::ostream& s, const PartitionSpec& p);

struct NamedSpecs;
// PartitionSpecs as a prefix of a tree, like in_axes of vmap. P("data") applies to all arrays.
// {P("data"), P()} has one entry per argument or field, and {{"w", P("model")}, {"b", P()}} has
// entries by name.
class PartitionSpecs {
 public:
  PartitionSpecs(PartitionSpec spec) : specs_{std::move(spec)} {}
  PartitionSpecs(std::initializer_list<PartitionSpecs> entries);
  PartitionSpecs(std::initializer_list<NamedSpecs> entries);
  const std::vector<PartitionSpec>& specs() const { return specs_; }
  // Returns the specs of the leaves of a tree. This must be a prefix of the tree (BatchingError).
  std::vector<const PartitionSpec*> match(const tree::detail::Skeleton& tree, const char* caller,
                                          const char* parameter, const char* root) const;

 private:
  friend std::string to_string(const PartitionSpecs& s);
  Axes add(const PartitionSpecs& entry);

  std::vector<PartitionSpec> specs_;
  Axes prefix_ = 0;  // its integers are indices into specs_
};
// The specs of one field of a struct or entry of a map, with its name: {"w", P("model")}.
struct NamedSpecs {
  typing::AxisKey key;
  PartitionSpecs specs;
};
std::string to_string(const PartitionSpecs& s);  // "(P('data'), {w: P()})"

// A mesh and the partitioning of an array over it. Source: jax.sharding.NamedSharding.
struct NamedSharding {
  Mesh mesh;
  PartitionSpec spec;
};

}  // namespace sharding

// Returns the mesh of these sizes, with a name for each axis. Raises ShapeError for another number
// of names. Source: jax.make_mesh.
sharding::Mesh make_mesh(const std::vector<int64_t>& axis_shapes,
                         const std::vector<std::string>& axis_names,
                         typing::Location at = typing::Location::here());

namespace detail {

// How the axes of one array are split over a mesh. The split array has the mesh axes over which an
// axis is partitioned in front of that axis.
struct SplitAxes {
  std::vector<int> of_mesh;     // the position of each axis of the mesh, or -1 if it is not used
  std::vector<int64_t> blocks;  // the number of blocks of each axis of the array
};
// Raises AxisNameError unless each name is an axis of the mesh and given once.
void check_spec(const sharding::PartitionSpec& spec, const sharding::Mesh& mesh, const char* who);
// Returns the name of an array in errors. It is a function, because the name, a place in a tree, is
// only built for errors.
using Who = ir::FunctionRef<std::string()>;
// Returns the split of an array of this rank. Raises ShapeError for more entries than axes.
SplitAxes split_axes(const sharding::PartitionSpec& spec, const sharding::Mesh& mesh, int rank,
                     Who who);
// Returns the shape with its axes split. Raises ShapeError if a size is not divisible by the number
// of blocks.
Shape split_shape(const Shape& s, const SplitAxes& a, const sharding::Mesh& mesh,
                  const sharding::PartitionSpec& spec, Who who);

}  // namespace detail
}  // namespace weft
