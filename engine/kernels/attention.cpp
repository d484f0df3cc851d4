#include "kernels/attention.h"

#include <algorithm>

#include "kernels/panels.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/softmax.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kRowBlock = 96;  // rows of one block of work, for which the keys are packed anew
constexpr long kRows = 24;      // of which so many at a time

__attribute__((noinline)) void scale_in_place(float factor, long count, float* x) {
  const Float4 f = splat(factor);
  for (long i = 0; i < count; i += 4) store(x + i, f * load(x + i));
}

__attribute__((noinline)) void add_row(long n, const float* mask, float* x) {
  long i = 0;
  for (; i + 4 <= n; i += 4) store(x + i, load(x + i) + load(mask + i));
  for (; i < n; ++i) x[i] += mask[i];
}

}  // namespace

void attention_weights(const AttentionShape& shape, ConstMatrix query, const Index* query_offsets, ConstMatrix key, const Index* key_offsets, ConstMatrix mask,
                       const Index* mask_offsets, float scale, float* out) {
  const long queries = static_cast<long>(shape.queries), keys = static_cast<long>(shape.keys), features = static_cast<long>(shape.features), width = panel_columns(keys);
  const long blocks = (queries + kRowBlock - 1) / kRowBlock;
  const double work = static_cast<double>(shape.batch * shape.queries) * static_cast<double>(keys * (2 * features + 25));
  parallel_for(shape.batch * blocks, work, [&](Index block) {
    const Index matrix = block / blocks;
    const long first = static_cast<long>(block % blocks) * kRowBlock, end = std::min(queries, first + kRowBlock);
    const Scratch packed_keys(width * features), packed(cut_panels(kRows).padded_rows() * features), scores(cut_panels(kRows).padded_rows() * width);
    pack_columns(key.data + key_offsets[matrix], static_cast<long>(key.row_stride), static_cast<long>(key.column_stride), keys, features, packed_keys.data());
    scale_in_place(scale, width * features, packed_keys.data());
    for (long row = first; row < end; row += kRows) {
      const long rows = std::min(kRows, end - row), row_stride = static_cast<long>(query.row_stride);
      const float* source = query.data + query_offsets[matrix] + row * row_stride;
      if (query.column_stride == 1) {
        multiply_rows(rows, features, source, row_stride, packed_keys.data(), width, scores.data());
      } else {
        const RowPanels cut = cut_panels(rows);
        pack_rows(source, row_stride, static_cast<long>(query.column_stride), rows, cut, features, packed.data());
        multiply_panels(cut, features, packed.data(), packed_keys.data(), width, scores.data(), false);
      }
      for (long i = 0; i < rows; ++i) {
        float* line = scores.data() + i * width;
        if (mask.data) add_row(keys, mask.data + mask_offsets[matrix] + (row + i) * mask.row_stride, line);
        softmax_row(keys, line, out + (matrix * queries + row + i) * keys);
      }
    }
  });
}

}  // namespace gradbook::kernels
