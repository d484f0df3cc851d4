#include "ops/registry.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "autodiff/tape.h"
#include "ops/families.h"

namespace gradbook {

// One table per family, each in the file of that name. A new family is one line here and one below.
std::span<const Op> elementwise_ops();
std::span<const Op> math_ops();
std::span<const Op> comparison_ops();
std::span<const Op> activation_ops();
std::span<const Op> reduce_ops();
std::span<const Op> order_ops();
std::span<const Op> linalg_ops();
std::span<const Op> matrix_ops();
std::span<const Op> einsum_ops();
std::span<const Op> convolution_ops();
std::span<const Op> pooling_ops();
std::span<const Op> resample_ops();
std::span<const Op> softmax_ops();
std::span<const Op> loss_ops();
std::span<const Op> sequence_loss_ops();
std::span<const Op> normalization_ops();
std::span<const Op> attention_ops();
std::span<const Op> movement_ops();
std::span<const Op> arrange_ops();
std::span<const Op> indexing_ops();
std::span<const Op> random_ops();

namespace {

struct Table {
  std::string_view family;
  std::span<const Op> ops;
};
const std::vector<Table>& tables() {
  static const std::vector<Table> list = {
      {"elementwise", elementwise_ops()},
      {"functions", math_ops()},
      {"comparison and logic", comparison_ops()},
      {"activations", activation_ops()},
      {"reductions", reduce_ops()},
      {"sorting and counting", order_ops()},
      {"products of matrices", linalg_ops()},
      {"matrices", matrix_ops()},
      {"products of matrices", einsum_ops()},
      {"convolution", convolution_ops()},
      {"pooling", pooling_ops()},
      {"resampling", resample_ops()},
      {"softmax", softmax_ops()},
      {"losses", loss_ops()},
      {"losses", sequence_loss_ops()},
      {"normalization", normalization_ops()},
      {"attention and recurrence", attention_ops()},
      {"shapes", movement_ops()},
      {"arranging", arrange_ops()},
      {"indexing", indexing_ops()},
      {"random numbers", random_ops()},
  };
  return list;
}

const std::vector<const Op*>& rows() {
  static const std::vector<const Op*> list = [] {
    std::vector<const Op*> all;
    for (const Table& table : tables())
      for (const Op& op : table.ops) all.push_back(&op);
    return all;
  }();
  return list;
}

// Edits (insert, drop, replace) between two words.
size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const std::span<const Op>> op_tables() {
  static const std::vector<std::span<const Op>> list = [] {
    std::vector<std::span<const Op>> all;
    for (const Table& table : tables()) all.push_back(table.ops);
    return all;
  }();
  return list;
}
std::string_view family_of(int number) {
  for (const Table& table : tables()) {
    if (number < static_cast<int>(table.ops.size())) return table.family;
    number -= static_cast<int>(table.ops.size());
  }
  return "";
}
int op_count() { return static_cast<int>(rows().size()); }
const Op& op_at(int number) { return *rows()[static_cast<size_t>(number)]; }

const Op& find_op(std::string_view name) {
  static const std::unordered_map<std::string_view, const Op*> by_name = [] {
    std::unordered_map<std::string_view, const Op*> map;
    for (const Op* op : rows()) map.emplace(op->name, op);
    return map;
  }();
  if (const auto found = by_name.find(name); found != by_name.end()) return *found->second;
  const Op* nearest = *std::min_element(rows().begin(), rows().end(), [&](const Op* a, const Op* b) { return edits_between(name, a->name) < edits_between(name, b->name); });
  fail(ErrorCode::kUnknown, "there is no op `", name, "`; did you mean `", nearest->name, "`?");
}

void register_ops() {
  static const bool done = (set_tape_ops(find_op("add"), find_op("sumTo")), true);
  (void)done;
}

}  // namespace gradbook
