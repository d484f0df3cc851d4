// einsum: sums of products named by letters, written with permute, matmul and sum. Equations are 'ij,jk->ik'; '...' stands
// for axes without a letter; a letter twice in one tensor is its diagonal.
#include <algorithm>
#include <map>
#include <string>

#include "ops/table.h"
#include "ops/vocabulary.h"

namespace gradbook {
namespace {

// A tensor whose axes have letters.
struct Named {
  Tensor tensor;
  std::string letters;
  int find(char letter) const {
    const size_t at = letters.find(letter);
    return at == std::string::npos ? -1 : static_cast<int>(at);
  }
};

// Axes of '...' get the letters that no equation can use: '0' is the last of them, '1' the one before.
std::string with_ellipsis(const std::string& term, int axes) {
  const size_t dots = term.find("...");
  if (dots == std::string::npos) return term;
  std::string hidden;
  for (int i = axes - 1; i >= 0; --i) hidden += static_cast<char>('0' + i);
  return term.substr(0, dots) + hidden + term.substr(dots + 3);
}

struct Equation {
  std::vector<std::string> inputs;
  std::string result;
};

Equation parse(const std::string& text, const std::vector<Tensor>& tensors) {
  std::string plain;
  for (char ch : text)
    if (ch != ' ') plain += ch;
  const size_t arrow = plain.find("->");
  std::string left = plain.substr(0, arrow);
  Equation e;
  for (size_t at = 0;;) {
    const size_t comma = left.find(',', at);
    e.inputs.push_back(left.substr(at, comma == std::string::npos ? comma : comma - at));
    if (comma == std::string::npos) break;
    at = comma + 1;
  }
  if (e.inputs.size() != tensors.size()) fail(ErrorCode::kValue, "'", text, "' names ", e.inputs.size(), " tensors, got ", tensors.size());
  int most_hidden = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool dots = e.inputs[i].find("...") != std::string::npos;
    const int named = static_cast<int>(e.inputs[i].size()) - (dots ? 3 : 0), hidden = tensors[i].rank() - named;
    if (dots ? hidden < 0 : hidden != 0) fail(ErrorCode::kShape, "'", e.inputs[i], "' names ", named, " axes of tensor ", i, ", which has shape ", tensors[i].shape());
    if (dots) most_hidden = std::max(most_hidden, hidden);
    e.inputs[i] = with_ellipsis(e.inputs[i], hidden);
    for (char ch : e.inputs[i])
      if (!std::isalnum(static_cast<unsigned char>(ch))) fail(ErrorCode::kValue, "'", text, "' holds '", std::string(1, ch), "'; axes are named by letters");
  }
  if (arrow != std::string::npos) {
    e.result = with_ellipsis(plain.substr(arrow + 2), most_hidden);
  } else {
    // Without an arrow: the hidden axes, then letters that stand once, in alphabetical order.
    std::map<char, int> uses;
    for (const std::string& input : e.inputs)
      for (char ch : input) ++uses[ch];
    for (int i = most_hidden - 1; i >= 0; --i) e.result += static_cast<char>('0' + i);
    for (const auto& [letter, count] : uses)
      if (count == 1 && std::isalpha(static_cast<unsigned char>(letter))) e.result += letter;
  }
  for (size_t i = 0; i < e.result.size(); ++i) {
    const char ch = e.result[i];
    if (e.result.find(ch, i + 1) != std::string::npos) fail(ErrorCode::kValue, "the result names '", std::string(1, ch), "' twice");
    if (std::none_of(e.inputs.begin(), e.inputs.end(), [&](const std::string& input) { return input.find(ch) != std::string::npos; })) fail(ErrorCode::kValue, "the result names '", std::string(1, ch), "', which no tensor has");
  }
  return e;
}

// The diagonal over the second use of every letter.
Named without_repeats(Named n) {
  for (size_t i = 0; i < n.letters.size(); ++i) {
    const size_t again = n.letters.find(n.letters[i], i + 1);
    if (again == std::string::npos) continue;
    const int first = static_cast<int>(i), second = static_cast<int>(again), rank = n.tensor.rank();
    const Index size = n.tensor.size(first);
    if (size != n.tensor.size(second)) fail(ErrorCode::kShape, "'", std::string(1, n.letters[i]), "' stands for sizes ", size, " and ", n.tensor.size(second));
    Shape order;
    for (int axis = 0; axis < rank; ++axis)
      if (axis != first && axis != second) order.push_back(axis);
    order.push_back(first);
    order.push_back(second);
    Tensor moved = permute(n.tensor, order);
    Shape flat = moved.shape();
    flat.erase(rank - 1);
    flat[rank - 2] = size * size;
    const char letter = n.letters[i];
    n.letters.erase(again, 1);
    n.letters.erase(i, 1);
    n.letters += letter;
    n.tensor = slice(reshape(moved, flat), 0, size * size, rank - 2, size + 1);
    i = static_cast<size_t>(-1);
  }
  return n;
}

// Sums away the axes whose letters are in none of the other terms.
Named without_unused(const Named& n, const std::string& needed) {
  Shape axes;
  std::string kept;
  for (size_t i = 0; i < n.letters.size(); ++i) {
    if (needed.find(n.letters[i]) == std::string::npos)
      axes.push_back(static_cast<Index>(i));
    else
      kept += n.letters[i];
  }
  return axes.rank() ? Named{sum(n.tensor, axes, false), kept} : n;
}

// The axes named by `letters`, in that order, with new axes of size 1 where the tensor has none; grouped into one axis each.
Tensor arranged(const Named& n, const std::vector<std::string>& groups, const std::map<char, Index>& sizes, bool expand_all) {
  Tensor t = n.tensor;
  std::string letters = n.letters;
  Shape order, wide, merged;
  for (const std::string& group : groups) {
    Index count = 1;
    for (char letter : group) {
      int axis = static_cast<int>(letters.find(letter));
      if (letters.find(letter) == std::string::npos) {
        axis = t.rank();
        t = unsqueeze(t, -1);
        letters += letter;
      }
      order.push_back(axis);
      wide.push_back(expand_all ? sizes.at(letter) : t.size(axis));
      count *= wide.back();
    }
    merged.push_back(count);
  }
  t = permute(t, order);
  if (!(t.shape() == wide)) t = expand(t, wide);
  return reshape(t, merged);
}

// One product: letters of both that are needed later are batch axes, the other common ones are summed by matmul.
Named multiply(const Named& a, const Named& b, const std::string& needed, const std::map<char, Index>& sizes) {
  std::string batch, left, right, inner;
  for (char letter : a.letters) (b.find(letter) < 0 ? left : needed.find(letter) != std::string::npos ? batch : inner) += letter;
  for (char letter : b.letters)
    if (a.find(letter) < 0) right += letter;
  const Tensor product = matmul(arranged(a, {batch, left, inner}, sizes, true), arranged(b, {batch, inner, right}, sizes, true));
  Shape shape;
  for (char letter : batch + left + right) shape.push_back(sizes.at(letter));
  return {reshape(product, shape), batch + left + right};
}

Tensor compose_einsum(const Call& c) {
  const Equation e = parse(c.text(0), c.inputs);
  std::map<char, Index> sizes;
  std::vector<Named> terms;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    terms.push_back(without_repeats({c.inputs[i], e.inputs[i]}));
    const Named& n = terms.back();
    for (size_t axis = 0; axis < n.letters.size(); ++axis) {
      const Index size = n.tensor.size(static_cast<int>(axis));
      Index& known = sizes.try_emplace(n.letters[axis], size).first->second;
      if (known == 1) known = size;
      if (size != 1 && size != known) fail(ErrorCode::kShape, "'", std::string(1, n.letters[axis]), "' stands for sizes ", known, " and ", size);
    }
  }
  Named total = terms[0];
  for (size_t i = 0; i < terms.size(); ++i) {
    std::string later = e.result;
    for (size_t k = i + 1; k < terms.size(); ++k) later += terms[k].letters;
    if (i > 0) total = multiply(total, without_unused(terms[i], later + total.letters), later, sizes);
    total = without_unused(total, later);
  }
  std::vector<std::string> axes;
  for (char letter : e.result) axes.emplace_back(1, letter);
  // A result of its own, also when nothing was to be done.
  return arranged(total, axes, sizes, true) * 1.0;
}

constexpr OpRow kEinsum[] = {
    {.name = "einsum",
     .summary = "Sum of products named by letters: 'ij,jk->ik' is the matrix product. Letters missing from the result are summed, '...' stands for further axes.",
     .example = "einsum([tensor([[1, 2], [3, 4]]), tensor([10, 1])], 'ij,j->i')", .gives = "[12, 34]",
     .params = {tensors("tensors"), text("equation", "''")},
     .compose = compose_einsum,
     .samples = {{"2x3,3x4", "'ij,jk->ik'"}, {"2x3x4,2x4x5", "'bij,bjk->bik'"}, {"3x3", "'ii->i'"}, {"2x3", "'ij->ji'"}, {"2x3,3,2", "'ij,j,i->'"},
                 {"2x3x4,5x4", "'...i,ji->...j'"}, {"3,4", "'i,j'"}, {"3x3", "'ii'"}, {"2x3,2x3", "'ij,ij->i'"}},
     .misuses = {{"2x3,4x5", "'ij,jk->ik'", "'j' stands for sizes 3 and 4"}, {"2x3", "'ij,jk->ik'", "names 2 tensors, got 1"}, {"2x3", "'ijk->i'", "names 3 axes of tensor 0"}, {"2x3", "'ij->k'", "which no tensor has"}}},
};

}  // namespace

GRADBOOK_FAMILY(einsum, kEinsum)

}  // namespace gradbook
