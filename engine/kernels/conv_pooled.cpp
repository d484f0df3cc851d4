// Channels last: the patch under one result is then one run of memory per filter row, and a filter row of all channels is
// a handful of vectors. Filter gradient: the runs under all events of an output channel are added up in registers. Input
// gradient: where each 2 x 2 cell of the results holds one event per channel, what all channels give to the run under a cell
// is added up in registers; else a filter row stays in registers and is added to the run under each event.
#include "kernels/conv_pooled.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/conv_partial.h"
#include "kernels/scratch.h"
#include "kernels/simd.h"
#include "kernels/threads.h"

namespace gradbook::kernels {
namespace {

constexpr long kMostVectors = 8, kMostRows = 6, kAccumulators = 12;

/// Sizes in channels-last order. Images have a border of `padding` zeros, runs are rounded up to vectors.
struct Layout {
  long channels, height, width, out_channels, filter_rows, run, vectors, row, image;
  long padding_y, padding_x;
  explicit Layout(const ConvShape& s)
      : channels(static_cast<long>(s.in_channels)),
        height(static_cast<long>(s.in_height)),
        width(static_cast<long>(s.in_width)),
        out_channels(static_cast<long>(s.out_channels)),
        filter_rows(static_cast<long>(s.filter_height)),
        run(static_cast<long>(s.filter_width) * channels),
        vectors((run + 3) / 4),
        padding_y(static_cast<long>(s.padding_y)),
        padding_x(static_cast<long>(s.padding_x)) {
    // The last windows may reach behind the image.
    const long rows = std::max(height + 2 * padding_y, static_cast<long>((s.out_height - 1) * s.stride_y) + filter_rows);
    const long columns = std::max(width + 2 * padding_x, static_cast<long>((s.out_width - 1) * s.stride_x + s.filter_width));
    row = columns * channels;
    image = rows * row;
  }
  float* pixel(float* image_start, long y, long x) const { return image_start + (y + padding_y) * row + (x + padding_x) * channels; }
};

// (channels, height, width) <-> (height, width, channels), four pixels and four channels at a time. The last four pixels of a row
// overlap with those before. Where fewer than four channels are left, a pixel's store reaches into the next one with zeros:
// such channels come first, so that what they overwrote is written after them. Behind the last image that takes room for three floats.
void to_channels_last(const Layout& l, const float* source, float* target) {
  const long plane = l.height * l.width;
  for (long y = 0; y < l.height; ++y) {
    const float* line = source + y * l.width;
    float* to = l.pixel(target, y, 0);
    if (l.channels == 1) {
      std::copy(line, line + l.width, to);
      continue;
    }
    if (l.width < 4) {
      for (long x = 0; x < l.width; ++x)
        for (long c = 0; c < l.channels; ++c) to[x * l.channels + c] = line[c * plane + x];
      continue;
    }
    for (long done = 0; done < l.width; done += 4) {
      const long x = std::min(done, l.width - 4);
#pragma clang loop unroll(disable)
      for (long c = (l.channels - 1) / 4 * 4; c >= 0; c -= 4) {
        const float* from = line + c * plane + x;
        const long left = l.channels - c;
        Float4 p = load(from), q = left > 1 ? load(from + plane) : Float4{}, r = left > 2 ? load(from + 2 * plane) : Float4{}, s = left > 3 ? load(from + 3 * plane) : Float4{};
        transpose(p, q, r, s);
        float* at = to + x * l.channels + c;
        store(at, p);
        store(at + l.channels, q);
        store(at + 2 * l.channels, r);
        store(at + 3 * l.channels, s);
      }
    }
  }
}
void from_channels_last(const Layout& l, float* source, float* target) {
  const long plane = l.height * l.width;
  for (long y = 0; y < l.height; ++y) {
    const float* from = l.pixel(source, y, 0);
    float* line = target + y * l.width;
    if (l.width < 4) {
      for (long x = 0; x < l.width; ++x)
        for (long c = 0; c < l.channels; ++c) line[c * plane + x] = from[x * l.channels + c];
      continue;
    }
    for (long done = 0; done < l.width; done += 4) {
      const long x = std::min(done, l.width - 4);
#pragma clang loop unroll(disable)
      for (long c = 0; c < l.channels; c += 4) {
        const float* at = from + x * l.channels + c;
        Float4 p = load(at), q = load(at + l.channels), r = load(at + 2 * l.channels), s = load(at + 3 * l.channels);
        transpose(p, q, r, s);
        float* to = line + c * plane + x;
        const long left = l.channels - c;
        store(to, p);
        if (left > 1) store(to + plane, q);
        if (left > 2) store(to + 2 * plane, r);
        if (left > 3) store(to + 3 * plane, s);
      }
    }
  }
}

// Filters (out, channels, height, width) as [out][height][run of (width, channels), rounded up].
long filter_stride(const Layout& l) { return l.filter_rows * 4 * l.vectors; }
void filter_to_channels_last(const Layout& l, const float* filter, float* target) {
  const long taps = l.run / l.channels;
  std::fill(target, target + l.out_channels * filter_stride(l), 0.0f);
  for (long o = 0; o < l.out_channels; ++o)
    for (long c = 0; c < l.channels; ++c)
      for (long y = 0; y < l.filter_rows; ++y)
        for (long x = 0; x < taps; ++x) target[o * filter_stride(l) + y * 4 * l.vectors + x * l.channels + c] = *filter++;
}
void filter_from_channels_last(const Layout& l, const float* source, float* filter) {
  const long taps = l.run / l.channels;
  for (long o = 0; o < l.out_channels; ++o)
    for (long c = 0; c < l.channels; ++c)
      for (long y = 0; y < l.filter_rows; ++y)
        for (long x = 0; x < taps; ++x) *filter++ = source[o * filter_stride(l) + y * 4 * l.vectors + x * l.channels + c];
}

/// place -> first float of its patch, four at a time.
struct Patches {
  Int4 line, step;  // from row to row of results, beyond what their places say; from place to place
  Float4 rows_per_place;
  Patches(const ConvShape& s, const Layout& l) {
    const long step_x = static_cast<long>(s.stride_x) * l.channels, across = static_cast<long>(s.out_width);
    step = splat(static_cast<int32_t>(step_x));
    line = splat(static_cast<int32_t>(static_cast<long>(s.stride_y) * l.row - across * step_x));
    rows_per_place = splat(1.0f / static_cast<float>(across));
  }
  // (place + 1/2) / width is at least 1/2 / width away from a whole number, which is more than is lost by rounding: there
  // are at most 2^16 places (serves_sparse).
  Int4 of(Int4 places) const { return places * step + to_int((to_float(places) + splat(0.5f)) * rows_per_place) * line; }
};

struct Events {
  long count;
  int32_t* offsets;
  float* values;

  /// Those that are not zero, behind those that are there. NaN is not zero.
  GRADBOOK_INLINE void add(Int4 at, Float4 value) {
    const uint32_t bits = lane_bits((Int4)((UInt4)value << 1) != Int4{});
    store_kept(offsets + count, at, bits);
    store_kept(reinterpret_cast<int32_t*>(values + count), (Int4)value, bits);
    count += __builtin_popcount(bits);
  }
};
constexpr Index kEventSlack = 4;  // add() stores four at a time

Int4 load_places(const int32_t* places, long count) {
  Int4 v{};
  for (long i = 0; i < count; ++i) v[i] = places[i];
  return v;
}

// The events of one plane.
void add_events(const float* values, const int32_t* places, long count, const Patches& patches, long image_offset, Events& result) {
  Events events = result;
  const Int4 base = splat(static_cast<int32_t>(image_offset));
  long i = 0;
  for (; i + 4 <= count; i += 4) events.add(base + patches.of(load(places + i)), load(values + i));
  if (i < count) events.add(base + patches.of(load_places(places + i, count - i)), load_first(values + i, count - i));
  result = events;
}

// The events of one channel of four images, image by image at each pixel: neighbouring events then write to different places,
// and a load need not wait for the store right before it. The order within an image stays.
void add_events_of_four(const float* values, const int32_t* places, long count, long next_image, const Patches& patches, long image, Events& result) {
  Events events = result;
  const Int4 base = Int4{0, 1, 2, 3} * splat(static_cast<int32_t>(image));
  for (long i = 0; i < count; i += 4, values += 4, places += 4) {
    const long here = std::min(4L, count - i);
    Float4 v[4], p[4];
    for (int k = 0; k < 4; ++k) {
      v[k] = here == 4 ? load(values + k * next_image) : load_first(values + k * next_image, here);
      p[k] = (Float4)(here == 4 ? load(places + k * next_image) : load_places(places + k * next_image, here));
    }
    transpose(v[0], v[1], v[2], v[3]);
    transpose(p[0], p[1], p[2], p[3]);
    for (int k = 0; k < 4; ++k) events.add(base + patches.of((Int4)p[k]), v[k]);  // behind the last pixel are zeros, hence no events
  }
  result = events;
}

// With few sums each addition would wait for the one before: then two events at a time have sums of their own.
using Sum = void (*)(const Events& events, const float* images, long row, float* sums, long sums_row);
template <int kRows, int kVectors>
__attribute__((noinline)) void sum_runs(const Events& events, const float* images, long row, float* sums, long sums_row) {
  constexpr int kSets = 2 * kRows * kVectors <= kAccumulators ? 2 : 1;
  Float4 sum[kSets][kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) {
      sum[0][r][v] = load(sums + r * sums_row + 4 * v);
      if constexpr (kSets == 2) sum[1][r][v] = Float4{};
    }
  const int32_t* offset = events.offsets;
  const float* value = events.values;
  const auto add = [&](Float4(&to)[kRows][kVectors]) {
    const float* run = images + *offset++;
    const Float4 g = load_splat(value++);
    for (int r = 0; r < kRows; ++r, run += row)
      for (int v = 0; v < kVectors; ++v) to[r][v] = madd(g, load(run + 4 * v), to[r][v]);
  };
  long left = events.count;
#pragma clang loop unroll_count(1)
  for (; left >= kSets; left -= kSets)
    for (int k = 0; k < kSets; ++k) add(sum[k]);
  if (left > 0) add(sum[0]);
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) store(sums + r * sums_row + 4 * v, kSets == 2 ? sum[0][r][v] + sum[kSets - 1][r][v] : sum[0][r][v]);
}

using Spread = void (*)(const Events& events, float* images, const float* filter);
template <int kVectors>
__attribute__((noinline)) void spread_run(const Events& events, float* images, const float* filter) {
  Float4 w[kVectors];
  for (int v = 0; v < kVectors; ++v) w[v] = load(filter + 4 * v);
  const int32_t* offset = events.offsets;
  const float* value = events.values;
#pragma clang loop unroll_count(1)
  for (long left = events.count; left > 0; --left) {
    float* run = images + *offset++;
    const Float4 g = load_splat(value++);
    for (int v = 0; v < kVectors; ++v) store(run + 4 * v, madd(g, w[v], load(run + 4 * v)));
  }
}

template <int kVectors, int... kRows>
constexpr std::array<Sum, kMostRows> sums_of(std::integer_sequence<int, kRows...>) {
  return {((kRows + 1) * kVectors <= kAccumulators ? sum_runs<((kRows + 1) * kVectors <= kAccumulators ? kRows + 1 : 1), kVectors> : nullptr)...};
}
template <int... kVectors>
constexpr std::array<std::array<Sum, kMostRows>, kMostVectors> all_sums(std::integer_sequence<int, kVectors...>) {
  return {sums_of<kVectors + 1>(std::make_integer_sequence<int, kMostRows>())...};
}
constexpr auto kSums = all_sums(std::make_integer_sequence<int, kMostVectors>());
template <int... kVectors>
constexpr std::array<Spread, kMostVectors> all_spreads(std::integer_sequence<int, kVectors...>) {
  return {spread_run<kVectors + 1>...};
}
constexpr auto kSpreads = all_spreads(std::make_integer_sequence<int, kMostVectors>());

// -- one event in each cell --------------------------------------------------------------------------------------------

// What one cell adds to the image is the sum over channels of a filter, shifted by the place of the channel's event inside the
// cell. So the runs under a cell are a product of a row of values with rows of shifted filters: sums stay in registers, and
// the image is touched once per cell instead of once per event. The price is that filters are a pixel wider. A cell's events
// in its upper row come before those in its lower row: the first row under a cell needs the former alone, the last row the latter.
// A loop over a handful of events costs as much in its mispredicted end as in its sums, unless its length is that of the loop
// before: cells are visited in the order of their numbers of events.
struct Cells {
  static constexpr long kSide = 2, kMostRun = 10;
  long across, count;  // cells in a row; in all
  long runs, run;      // pieces of a row under a cell; vectors in a piece
  long filter_row;     // floats of one row of all shifted filters
  long filter_rows;
  Cells(const ConvShape& s, const Layout& l, Index count) : across(static_cast<long>(s.out_width) / kSide), count(static_cast<long>(count)), filter_rows(l.filter_rows) {
    const long vectors = (l.run + l.channels + 3) / 4;
    runs = (vectors + kMostRun - 1) / kMostRun;
    run = (vectors + runs - 1) / runs;
    filter_row = l.out_channels * kSide * 4 * run;
  }
  long piece_floats() const { return filter_rows * filter_row; }
};

// [piece][row][out][shift][4 * run]
void shifted_filters(const Layout& l, const Cells& cells, const float* filters, float* target) {
  std::fill(target, target + cells.runs * cells.piece_floats(), 0.0f);
  const long piece = 4 * cells.run;
  for (long o = 0; o < l.out_channels; ++o)
    for (long y = 0; y < l.filter_rows; ++y, filters += 4 * l.vectors)
      for (long shift = 0; shift < Cells::kSide; ++shift)
        for (long at = shift * l.channels, i = 0; i < l.run;) {
          const long inside = at % piece, length = std::min(l.run - i, piece - inside);
          std::copy(filters + i, filters + i + length, target + at / piece * cells.piece_floats() + y * cells.filter_row + (o * Cells::kSide + shift) * piece + inside);
          i += length, at += length;
        }
}

/// A cell that has events: where they begin, how many they are, and the first float under the cell.
struct Visit {
  int32_t first, count, target;
};

/// All cells of some images. Of each event: where its shifted filter begins, from the row of filters that an event in the upper
/// row of a cell needs; and its value.
struct CellEvents {
  enum Part { kAll, kUpper, kLower, kParts };
  struct Cell {
    int32_t first, lower, end;
  };
  int32_t* filters;
  float* values;
  Cell* cells;
  Visit* visits[kParts];
  int32_t* begins[kParts];  // by number of events: the first visit of that number
};

GRADBOOK_INLINE long keep(Int4 at, Float4 value, Int4 wanted, const CellEvents& to, long count) {
  const uint32_t bits = lane_bits(wanted & (Int4)((Int4)((UInt4)value << 1) != Int4{}));
  store_kept(to.filters + count, at, bits);
  store_kept(reinterpret_cast<int32_t*>(to.values + count), (Int4)value, bits);
  return count + __builtin_popcount(bits);
}

/// Puts the events of one image behind the `before` that are there, and returns how many are there then. `corners` has the place of
/// each cell's first result; `columns` has room for the values and filters of four cells. Requires four.
long gather_cells(const Cells& cells, long out_channels, long out_width, const int32_t* corners, const float* values, const int32_t* places, float* columns, CellEvents::Cell* cell,
                  const CellEvents& to, long before) {
  const Int4 width = splat(static_cast<int32_t>(out_width)), up = splat(static_cast<int32_t>(cells.filter_row)), piece = splat(static_cast<int32_t>(4 * cells.run));
  const long column = (out_channels + 3) / 4 * 4;
  int32_t* const filter_columns = reinterpret_cast<int32_t*>(columns + 4 * column);
  long count = before;
  for (long done = 0; done < cells.count; done += 4) {
    const long i = std::min(done, cells.count - 4);  // the last four overlap with those before
    const Int4 corner = load(corners + i);
#pragma clang loop unroll(disable) vectorize(disable)
    for (long o = 0; o < column; o += 4) {
      Float4 v[4], f[4];
      for (long k = 0; k < 4; ++k) {
        const bool is_there = o + k < out_channels;
        const long at = (o + k) * cells.count + i;
        v[k] = is_there ? load(values + at) : Float4{};
        const Int4 inside = is_there ? load(places + at) - corner : Int4{};
        const Int4 lower = inside >= width;
        f[k] = (Float4)((splat(static_cast<int32_t>((o + k) * Cells::kSide)) + inside - (lower & width)) * piece - (lower & up));
      }
      transpose(v[0], v[1], v[2], v[3]);
      transpose(f[0], f[1], f[2], f[3]);
      for (long k = 0; k < 4; ++k) {
        store(columns + k * column + o, v[k]);
        store(filter_columns + k * column + o, (Int4)f[k]);
      }
    }
    for (long k = done - i; k < 4; ++k, ++cell) {
      const float* value = columns + k * column;
      const int32_t* filter = filter_columns + k * column;
      cell->first = static_cast<int32_t>(count);
#pragma clang loop unroll(disable) vectorize(disable)
      for (long o = 0; o < column; o += 4) count = keep(load(filter + o), load(value + o), load(filter + o) >= Int4{}, to, count);
      cell->lower = static_cast<int32_t>(count);
#pragma clang loop unroll(disable) vectorize(disable)
      for (long o = 0; o < column; o += 4) count = keep(load(filter + o), load(value + o), load(filter + o) < Int4{}, to, count);
      cell->end = static_cast<int32_t>(count);
    }
  }
  return count;
}

/// The visits to the cells of `images` images, those with the fewest events first.
void order_visits(const Cells& cells, long out_channels, long images, long image, const int32_t* targets, const CellEvents& events) {
  const auto each = [&](auto use) {
    const CellEvents::Cell* cell = events.cells;
    for (long i = 0; i < images; ++i)
#pragma clang loop unroll(disable) vectorize(disable)
      for (long k = 0; k < cells.count; ++k, ++cell) {
        const int32_t target = static_cast<int32_t>(i * image) + targets[k];
        use(CellEvents::kAll, Visit{cell->first, cell->end - cell->first, target});
        use(CellEvents::kUpper, Visit{cell->first, cell->lower - cell->first, target});
        use(CellEvents::kLower, Visit{cell->lower, cell->end - cell->lower, target});
      }
  };
  for (int32_t* begins : events.begins) std::fill(begins, begins + out_channels + 2, 0);
  each([&](CellEvents::Part part, const Visit& visit) { ++events.begins[part][visit.count + 1]; });
  for (int32_t* begins : events.begins)
#pragma clang loop unroll(disable) vectorize(disable)
    for (long i = 1; i <= out_channels; ++i) begins[i + 1] += begins[i];
  each([&](CellEvents::Part part, const Visit& visit) { events.visits[part][events.begins[part][visit.count]++] = visit; });
  // By now each number's first visit has become its end, so that those without events end at begins[0].
}

using AddCells = void (*)(const Visit* visit, const Visit* end, const CellEvents& events, const float* filters, float* image);
template <int kVectors>
__attribute__((noinline)) void add_cells(const Visit* visit, const Visit* end, const CellEvents& events, const float* filters, float* image) {
  for (; visit != end; ++visit) {
    const int32_t* filter = events.filters + visit->first;
    const float* value = events.values + visit->first;
    float* const to = image + visit->target;
    Float4 sum[kVectors];
    for (int v = 0; v < kVectors; ++v) sum[v] = load(to + 4 * v);
#pragma clang loop unroll_count(1)
    for (long left = visit->count; left > 0; --left) {
      const float* run = filters + *filter++;
      const Float4 g = load_splat(value++);
      for (int v = 0; v < kVectors; ++v) sum[v] = madd(g, load(run + 4 * v), sum[v]);
    }
    for (int v = 0; v < kVectors; ++v) store(to + 4 * v, sum[v]);
  }
}
template <int... kVectors>
constexpr std::array<AddCells, sizeof...(kVectors)> all_add_cells(std::integer_sequence<int, kVectors...>) {
  return {add_cells<kVectors + 1>...};
}
constexpr auto kAddCells = all_add_cells(std::make_integer_sequence<int, Cells::kMostRun>());

/// Adds what the events of images one after another give to them.
void add_all_cells(const Layout& l, const Cells& cells, const ConvShape& s, const float* values, const int32_t* places, long images, const int32_t* corners, const int32_t* targets,
                   const float* shifted, float* sums) {
  const long all = images * cells.count, next_image = l.out_channels * cells.count, numbers = l.out_channels + 2;
  const auto ints = [](const Scratch& scratch) { return reinterpret_cast<int32_t*>(scratch.data()); };
  const Scratch filters(images * next_image + kEventSlack), kept(images * next_image + kEventSlack), cell(3 * all), visits(3 * CellEvents::kParts * all), begins(CellEvents::kParts * numbers),
      columns(8 * (l.out_channels + 3));
  CellEvents events{ints(filters), kept.data(), reinterpret_cast<CellEvents::Cell*>(cell.data()), {}, {}};
  for (long part = 0; part < CellEvents::kParts; ++part) {
    events.visits[part] = reinterpret_cast<Visit*>(visits.data()) + part * all;
    events.begins[part] = ints(begins) + part * numbers;
  }
  long count = 0;
  for (long i = 0; i < images; ++i)
    count = gather_cells(cells, l.out_channels, static_cast<long>(s.out_width), corners, values + i * next_image, places + i * next_image, columns.data(), events.cells + i * cells.count, events, count);
  order_visits(cells, l.out_channels, images, l.image, targets, events);
  for (long piece = 0; piece < cells.runs; ++piece)
    for (long r = 0; r <= l.filter_rows; ++r) {
      const CellEvents::Part part = r == 0 ? CellEvents::kUpper : r == l.filter_rows ? CellEvents::kLower : CellEvents::kAll;
      kAddCells[static_cast<size_t>(cells.run - 1)](events.visits[part] + events.begins[part][0], events.visits[part] + all, events, shifted + piece * cells.piece_floats() + r * cells.filter_row,
                                                   sums + r * l.row + 4 * piece * cells.run);
    }
}

// -- infinities and NaN ------------------------------------------------------------------------------------------------

bool all_finite(const float* values, long count) {
  const Int4 exponent = splat(int32_t{0x7f800000});
  Int4 special{};
  long i = 0;
#pragma clang loop unroll(disable) vectorize(disable)
  for (; i + 4 <= count; i += 4) special |= (Int4)(((Int4)load(values + i) & exponent) == exponent);
#pragma clang loop unroll(disable) vectorize(disable)
  for (; i < count; ++i) special |= (Int4)(((Int4)load_splat(values + i) & exponent) == exponent);
  return !any_lane(special);
}

// One float at a time: an infinity times the zeros that fill up runs and filters would be NaN beside its window.
void spread_plainly(const Layout& l, const Patches& patches, const float* values, const int32_t* places, long images, long count, const float* filters, float* sums) {
  for (long i = 0; i < images; ++i, sums += l.image)
    for (long o = 0; o < l.out_channels; ++o)
      for (long k = 0; k < count; ++k, ++values, ++places) {
        if (*values == 0) continue;
        float* to = sums + patches.of(splat(*places))[0];
        const float* row = filters + o * filter_stride(l);
        for (long r = 0; r < l.filter_rows; ++r, to += l.row, row += 4 * l.vectors) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (long at = 0; at < l.run; ++at) to[at] += *values * row[at];
        }
      }
}

double sparse_flops(const ConvShape& s, Index count) {
  return 2.0 * static_cast<double>(s.batch * s.out_channels * count) * static_cast<double>(s.filter_height * s.filter_width * s.in_channels);
}

}  // namespace

bool serves_sparse(const ConvShape& s, Index count) {
  if (s.groups != 1 || s.dilation_y != 1 || s.dilation_x != 1 || s.batch <= 0 || count <= 0 || filter_floats(s) == 0) return false;
  // Fewer events than half of the pixels, and images small enough to lie in the cache, eight at a time.
  const Layout l(s);
  return 2 * count <= s.out_height * s.out_width && l.image <= 65536 && filter_floats(s) <= 262144;
}

void conv_filter_gradient_sparse(const ConvShape& s, const float* images, const SparseGradient& gradient, float* filter_gradient) {
  const Layout l(s);
  const long count = static_cast<long>(gradient.count), plane = l.channels * l.height * l.width;
  const Index blocks = filter_gradient_blocks(s), per_block = (s.batch + blocks - 1) / blocks;
  const bool in_place = l.channels == 1 && l.image == plane;
  // Parts are added up in the order in which they were computed, and put into the filter's order once.
  const ConvShape partial_shape{.in_channels = 1, .out_channels = s.out_channels, .filter_height = s.filter_height, .filter_width = 4 * l.vectors};
  const Index partial_floats = filter_floats(partial_shape);
  const Scratch partial(blocks * partial_floats), total(partial_floats);
  const Patches patches(s, l);
  parallel_for(blocks, sparse_flops(s, gradient.count), [&](Index block) {
    const Index first = block * per_block, last = std::min(s.batch, first + per_block);
    const long here = std::max(0L, static_cast<long>(last - first));
    const Scratch staged(in_place ? 0 : here * l.image + 4 * l.vectors), offsets(here * count + kEventSlack), values(here * count + kEventSlack);
    float* const sums = partial.data() + block * partial_floats;
    const float* source = images + first * plane;
    if (!in_place) {
      // Without a border, only what is read behind the last image.
      std::fill(staged.data() + (l.image == plane ? here * l.image : 0), staged.data() + here * l.image + 4 * l.vectors, 0.0f);
      for (long i = 0; i < here; ++i) to_channels_last(l, source + i * plane, staged.data() + i * l.image);
      source = staged.data();
    }
    std::fill(sums, sums + partial_floats, 0.0f);
    for (long o = 0; o < l.out_channels; ++o) {
      Events events{0, reinterpret_cast<int32_t*>(offsets.data()), values.data()};
      for (long i = 0; i < here; ++i) {
        const Index at = ((first + i) * s.out_channels + o) * gradient.count;
        add_events(gradient.values + at, gradient.places + at, count, patches, i * l.image, events);
      }
      for (long v = 0; v < l.vectors; v += kMostVectors) {
        const long vectors = std::min(kMostVectors, l.vectors - v), most = std::clamp(kAccumulators / vectors, 1L, kMostRows);
        for (long r = 0; r < l.filter_rows; r += most) {
          const long rows = std::min(most, l.filter_rows - r);
          kSums[static_cast<size_t>(vectors - 1)][static_cast<size_t>(rows - 1)](events, source + r * l.row + 4 * v, l.row, sums + o * filter_stride(l) + r * 4 * l.vectors + 4 * v, 4 * l.vectors);
        }
      }
    }
  });
  add_partial_filters(partial_shape, blocks, partial.data(), total.data());
  filter_from_channels_last(l, total.data(), filter_gradient);
}

void conv_input_gradient_sparse(const ConvShape& s, const SparseGradient& gradient, const float* filter, float* images_gradient) {
  const Layout l(s);
  const long count = static_cast<long>(gradient.count), plane = l.channels * l.height * l.width;
  const Scratch filters(l.out_channels * filter_stride(l));
  const Patches patches(s, l);
  filter_to_channels_last(l, filter, filters.data());
  // Where filters and runs are small, their being larger costs more than it saves.
  const Cells cells(s, l, gradient.count);
  const bool by_cells = gradient.is_one_per_cell && count >= 4 && s.stride_y == 1 && s.stride_x == 1 && s.filter_height >= 3 && s.filter_width >= 3 && l.channels >= 3;
  const Scratch shifted(by_cells ? cells.runs * cells.piece_floats() : 0), corners(by_cells ? count : 0), targets(by_cells ? count : 0);
  int32_t *const corner = reinterpret_cast<int32_t*>(corners.data()), *const target = reinterpret_cast<int32_t*>(targets.data());
  if (by_cells) {
    shifted_filters(l, cells, filters.data(), shifted.data());
    for (long i = 0; i < count; ++i) {
      const long y = i / cells.across * Cells::kSide, x = i % cells.across * Cells::kSide;
      corner[i] = static_cast<int32_t>(y * static_cast<long>(s.out_width) + x);
      target[i] = static_cast<int32_t>(y * l.row + x * l.channels);
    }
  }
  constexpr Index kImages = 4;
  parallel_ranges(s.batch, kImages, sparse_flops(s, gradient.count), [&](Index first, Index last) {
    const long here = static_cast<long>(last - first), next_image = l.out_channels * count, slack = 4 * std::max(l.vectors, cells.run * cells.runs);
    const Scratch sums(here * l.image + slack), offsets(here * count + kEventSlack), values(here * count + kEventSlack);
    std::fill(sums.data(), sums.data() + here * l.image + slack, 0.0f);
    int32_t* const offset = reinterpret_cast<int32_t*>(offsets.data());
    const float* const its_values = gradient.values + first * next_image;
    const int32_t* const its_places = gradient.places + first * next_image;
    const bool finite = all_finite(its_values, here * next_image);
    if (!finite) {
      spread_plainly(l, patches, its_values, its_places, here, count, filters.data(), sums.data());
    } else if (by_cells) {
      add_all_cells(l, cells, s, its_values, its_places, here, corner, target, shifted.data(), sums.data());
    }
    for (long o = 0; finite && !by_cells && o < l.out_channels; ++o) {
      Events events{0, offset, values.data()};
      const Index at = (first * l.out_channels + o) * gradient.count;
      if (here == kImages) {
        add_events_of_four(gradient.values + at, gradient.places + at, count, next_image, patches, l.image, events);
      } else {
        for (long i = 0; i < here; ++i) add_events(gradient.values + at + i * next_image, gradient.places + at + i * next_image, count, patches, i * l.image, events);
      }
      for (long r = 0; r < l.filter_rows; ++r)
        for (long v = 0; v < l.vectors; v += kMostVectors)
          kSpreads[static_cast<size_t>(std::min(kMostVectors, l.vectors - v) - 1)](events, sums.data() + r * l.row + 4 * v, filters.data() + o * filter_stride(l) + r * 4 * l.vectors + 4 * v);
    }
    for (long i = 0; i < here; ++i) from_channels_last(l, sums.data() + i * l.image, images_gradient + (first + i) * plane);
  });
}

}  // namespace gradbook::kernels
