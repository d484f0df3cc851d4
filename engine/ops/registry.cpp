#include "ops/registry.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "autodiff/tape.h"
#include "ops/families.h"

namespace gradbook {

#define DECLARE(name, heading) std::span<const Op> name##_ops();
GRADBOOK_FAMILIES(DECLARE)
#undef DECLARE

namespace {

struct Family {
  std::string_view heading;
  std::span<const Op> ops;
};
const std::vector<Family>& families() {
  static const std::vector<Family> list = {
#define LIST(name, heading) {heading, name##_ops()},
      GRADBOOK_FAMILIES(LIST)
#undef LIST
  };
  return list;
}

const std::vector<const Op*>& rows() {
  static const std::vector<const Op*> list = [] {
    std::vector<const Op*> all;
    for (const Family& family : families())
      for (const Op& op : family.ops) all.push_back(&op);
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
    for (const Family& family : families()) all.push_back(family.ops);
    return all;
  }();
  return list;
}
std::string_view family_of(int number) {
  for (const Family& family : families()) {
    if (number < static_cast<int>(family.ops.size())) return family.heading;
    number -= static_cast<int>(family.ops.size());
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
