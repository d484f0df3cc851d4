// The layout with eight images in the lanes: [height][width][channels][8 images] per block of eight images, two vectors per
// element. No width, stride, filter or channel count wastes lanes in it, and taps outside the image are simply left out.
#pragma once

#include "tensor/shape.h"

namespace gradbook::kernels {

inline constexpr long kLanes = 8;

/// Turns `rows` rows of `count` (1..8) images into lanes[row][column][channel][8]. An image's channels are `plane` floats apart,
/// rows `width`, images `image_step`. Lanes of missing images repeat the last one. May read 3 floats past a row's end.
void to_lanes(const float* images, long image_step, long count, long channels, long plane, long rows, long width, float* lanes);
/// The reverse; missing images are not written. A pixel of `lanes` holds `pixel_channels` >= channels channels.
void from_lanes(const float* lanes, long count, long channels, long pixel_channels, long rows, long width, float* images, long image_step, long plane);

/// A convolution (or one residue class of an input gradient) in this layout. Source coordinate of tap t at result pixel i:
/// origin + i * stride + t * step, in each direction; taps outside the source are left out.
struct LanesConvolution {
  const float* source;
  long source_height, source_width, channels;
  struct Direction {
    long origin, stride, step, taps, count;  // count: result pixels
  } y, x;
  const float* filter;        // panels of cut_rows(result_channels), each [tap y][tap x][channel][rows of the panel]
  long result_channels;
  const float* bias;          // of each row of the panels; null: none
  bool relu;
  float* results;
  long result_row, result_pixel;  // floats from one result pixel to the next
};
void convolve_lanes(const LanesConvolution& task);

}  // namespace gradbook::kernels
