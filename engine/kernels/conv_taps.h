// Where the taps of a filter lie in memory: images with their padding, and packing of pixels and taps into panels.
// Shared by the convolution techniques; which one is used is convolution.cpp's choice.
#pragma once

#include "kernels/convolution.h"

namespace gradbook::kernels {

/// The channels of one group in one image, or a range of its rows, so that every tap of every output pixel lies inside.
struct ImageView {
  const float* data;
  long row, plane;  // floats from one row, one channel, to the next
};

/// The sizes that the inner loops need, for one group, as native integers.
struct ConvPlan {
  long in_channels, in_height, in_width;    // of the group
  long out_channels, out_height, out_width;
  long filter_height, filter_width, stride_y, stride_x, padding_y, padding_x, dilation_y, dilation_x;
  long padded_width;   // columns that the taps of one output row touch
  bool needs_padding;  // some tap lies outside the image

  explicit ConvPlan(const ConvShape& shape);
  long taps() const { return in_channels * filter_height * filter_width; }
  long pixels() const { return out_height * out_width; }
  /// Image rows under `rows` output rows.
  long padded_rows(long rows) const { return rows > 0 ? (rows - 1) * stride_y + (filter_height - 1) * dilation_y + 1 : 0; }
  /// Floats of working memory that view() needs for `rows` output rows.
  long view_floats(long rows) const { return needs_padding ? in_channels * padded_rows(rows) * padded_width : 0; }
  /// The image under output rows first_row.. first_row + rows - 1: `image` itself, or a copy with zeros around it in `scratch`.
  /// Row pitch and plane pitch are the same for every range when `scratch_rows` (>= rows) is.
  ImageView view(const float* image, long first_row, long rows, long scratch_rows, float* scratch) const;
  /// The reverse of view() of all rows: copies what lies inside the image out of `scratch`, zeros elsewhere.
  void take_inside(const float* scratch, float* image) const;
  long row_pitch() const { return needs_padding ? padded_width : in_width; }
  long plane_pitch(long scratch_rows) const { return needs_padding ? padded_rows(scratch_rows) * padded_width : in_height * in_width; }
  /// Offset of every tap (channel, filter row, filter column) from its pixel's first tap.
  void tap_offsets(long scratch_rows, long* offsets) const;
};

/// Packs 8 output pixels: panel[tap][pixel] = image[pixel_offset[pixel] + tap_offset[tap]]. Pixels `step` floats apart (1 or 2)
/// are found and loaded together. May read 7 floats past the last one.
void pack_pixels(const float* image, const long* pixel_offsets, const long* tap_offsets, long taps, float* panel);

/// Packs kWidth taps (the last repeated when there are fewer) over `rows` rows of `width` output pixels:
/// panel[pixel][tap] = image[row * row_step + column * column_step + tap_offset[tap]]. Writes up to 3 groups past the end,
/// reads up to 7 floats past the last one.
template <int kWidth>
void pack_taps(const float* image, long row_step, long rows, long column_step, long width, const long* tap_offsets, long count, float* panel);

extern template void pack_taps<4>(const float*, long, long, long, long, const long*, long, float*);
extern template void pack_taps<6>(const float*, long, long, long, long, const long*, long, float*);
extern template void pack_taps<8>(const float*, long, long, long, long, const long*, long, float*);

}  // namespace gradbook::kernels
