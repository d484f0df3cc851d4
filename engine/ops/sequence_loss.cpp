// ctcLoss: how far predictions for every time step are from a shorter sequence whose places in time are not known.
// Written with ops, one round per time step, so that every derivative follows.
#include <algorithm>

#include "ops/indices.h"
#include "ops/table.h"
#include "ops/vocabulary.h"
#include "tensor/watcher.h"

namespace gradbook {
namespace {

// Stands for log 0: far below any sum of logarithms, and unlike -Infinity it has differences.
constexpr double kNever = -1e30;

// Lengths per example: the attribute, or all of `most`.
std::vector<Index> lengths_of(const Call& c, int attribute, std::string_view name, Index batch, Index most) {
  if (!c.has(attribute)) return std::vector<Index>(static_cast<size_t>(batch), most);
  std::vector<Index> lengths;
  for (double length : c.attribute(attribute).list) lengths.push_back(static_cast<Index>(length));
  if (static_cast<Index>(lengths.size()) != batch) fail(ErrorCode::kShape, "`", name, "` must have one length for each of the ", batch, " examples, got ", lengths.size());
  for (Index length : lengths)
    if (length < 0 || length > most) fail(ErrorCode::kValue, "`", name, "` must lie between 0 and ", most, ", got ", length);
  return lengths;
}

// The targets of all examples with blanks between and around them: [blank, a, blank, b, blank], and what is allowed there.
struct Paths {
  Index batch, width;              // width: 2 * longest target + 1
  std::vector<double> ids;         // (batch, width)
  std::vector<double> skips;       // 0 where a path may jump over the blank before, kNever elsewhere
  std::vector<double> ends;        // 0 at the last two places of each example, kNever elsewhere
  std::vector<double> possible;    // (batch): is there time enough
};

Paths paths_of(const Call& c, const std::vector<Index>& input_lengths, const std::vector<Index>& target_lengths) {
  if (TensorWatcher* watcher = tensor_watcher()) watcher->values_read(c.input(1));
  const Tensor ids = whole_numbers(c.input(1));
  const Index batch = ids.size(0), longest = ids.size(1), classes = c.input(0).size(2), blank = c.integer(2);
  const Tensor rows = ids.contiguous();
  const int32_t* id = rows.data<int32_t>();
  Paths p{batch, 2 * longest + 1, {}, {}, {}, {}};
  for (Index n = 0; n < batch; ++n) {
    const Index length = target_lengths[static_cast<size_t>(n)];
    Index needed = length;
    for (Index s = 0; s < p.width; ++s) {
      const bool is_label = s % 2 == 1 && s / 2 < length;
      const Index own = is_label ? id[n * longest + s / 2] : blank;
      if (is_label && (own < 0 || own >= classes || own == blank))
        fail(ErrorCode::kValue, "class id ", own, " of example ", n, " must lie in 0 to ", classes - 1, " and cannot be the blank, ", blank);
      const bool repeats = is_label && s >= 2 && id[n * longest + s / 2 - 1] == own;
      needed += repeats;
      p.ids.push_back(static_cast<double>(own));
      p.skips.push_back(is_label && s >= 2 && !repeats ? 0 : kNever);
      p.ends.push_back(s == 2 * length || s == 2 * length - 1 ? 0 : kNever);
    }
    p.possible.push_back(input_lengths[static_cast<size_t>(n)] >= needed);
  }
  return p;
}

Tensor compose_ctc(const Call& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 3 || c.input(1).rank() != 2 || c.input(1).size(0) != x.size(1))
    fail(ErrorCode::kShape, "needs log-probabilities (time, batch, classes) and targets (batch, longest target), got ", x.shape(), " and ", c.input(1).shape());
  const Index time = x.size(0), batch = x.size(1), classes = x.size(2), blank = c.integer(2);
  if (blank < 0 || blank >= classes) fail(ErrorCode::kValue, "`blank` must lie between 0 and ", classes - 1, ", got ", blank);
  if (time == 0 || batch == 0) fail(ErrorCode::kShape, "needs at least one time step and one example, got ", x.shape());
  const std::string reduction = c.text(3);
  if (reduction != "mean" && reduction != "sum" && reduction != "none") fail(ErrorCode::kValue, "`reduction` must be 'mean', 'sum' or 'none', got '", reduction, "'");
  const std::vector<Index> input_lengths = lengths_of(c, 0, "inputLengths", batch, time), target_lengths = lengths_of(c, 1, "targetLengths", batch, c.input(1).size(1));
  const Paths p = paths_of(c, input_lengths, target_lengths);
  const DType type = computing_type(x.dtype());
  const Shape places = {batch, p.width};
  auto constant = [&](const std::vector<double>& values) { return Tensor::from(places, values, type); };

  // (time, batch, width): how likely each place of the paths is at each time.
  const Tensor emitted = gather(x, expand(unsqueeze(Tensor::from(places, p.ids, DType::kInt32), 0), {time, batch, p.width}), 2);
  const Tensor skips = constant(p.skips), never = Tensor::full({batch, 2}, kNever, type);
  std::vector<double> starts;
  for (Index n = 0; n < batch; ++n)
    for (Index s = 0; s < p.width; ++s) starts.push_back(s < 1 + (target_lengths[static_cast<size_t>(n)] > 0) ? 0 : kNever);
  auto at_time = [&](Index t) { return squeeze(slice(emitted, t, t + 1, 0), 0); };
  // log of the sum over all ways to be at a place: stay, one on, or two on.
  Tensor reached = constant(starts) + at_time(0);
  for (Index t = 1; t < time; ++t) {
    const Tensor moved = concat({never, reached}, 1);
    const Tensor ways = op<"stack">({reached, slice(moved, 1, p.width + 1, 1), slice(moved, 0, p.width, 1) + skips});
    const Tensor next = op<"logSumExp">({ways}, {Shape{0}, false}) + at_time(t);
    std::vector<double> runs;
    for (Index length : input_lengths) runs.push_back(t < length);
    const bool all = std::all_of(runs.begin(), runs.end(), [](double run) { return run != 0; });
    reached = all ? next : where(Tensor::from({batch, 1}, runs, DType::kBool), next, reached);
  }
  const Tensor likely = -op<"logSumExp">({reached + constant(p.ends)}, {Shape{1}, false});
  Tensor losses = where(Tensor::from({batch}, p.possible, DType::kBool), likely, literal(c.boolean(4) ? 0 : HUGE_VAL));
  if (reduction == "none") return losses;
  if (reduction == "sum") return sum(losses);
  std::vector<double> shares;
  for (Index length : target_lengths) shares.push_back(1.0 / static_cast<double>(std::max<Index>(length, 1)));
  return mean(losses * Tensor::from({batch}, shares, type));
}

constexpr OpRow kSequenceLoss[] = {
    {.name = "ctcLoss",
     .summary = "Connectionist temporal classification: log-probabilities (time, batch, classes) against shorter targets (batch, longest target), over all ways to spread them over time with blanks between. "
                "The mean divides each loss by the length of its target; a target without time enough costs Infinity, or with `zeroInfinity` 0.",
     .example = "tensor([[[-1, -0.5]], [[-0.5, -1]]]).ctcLoss(tensor([[1]]))", .gives = "0.31973",
     .params = {tensor("logProbabilities"), tensor("target"), optional_integers("inputLengths"), optional_integers("targetLengths"), integer("blank", 0), text("reduction", "'mean'"), boolean("zeroInfinity", false)},
     .formula = "-\\ln \\sum_{\\pi \\to y} \\prod_t p_t(\\pi_t)",
     .compose = compose_ctc,
     .samples = {{"4x2x4,2x2", "[4, 3] ; [2, 1] ; 3 ; 'none'", -2, -0.1, "1:3"}, {"5x1x3,1x2", "undefined ; undefined ; 2", -2, -0.1, "1:2"}, {"4x2x4,2x2", "[4, 4] ; [0, 2] ; 3 ; 'sum'", -2, -0.1, "1:3"}},
     .misuses = {{"4x2x4,2", "", "needs log-probabilities (time, batch, classes) and targets", "1:3"},
                 {"4x2x4,2x2", "[4, 5]", "`inputLengths` must lie between 0 and 4, got 5", "1:3"},
                 {"4x2x4,2x2", "[4]", "one length for each of the 2 examples, got 1", "1:3"},
                 {"4x2x4,2x2", "[4, 4] ; [2, 2] ; 0", "cannot be the blank, 0", "1:1"}}},
};

}  // namespace

GRADBOOK_FAMILY(sequence_loss, kSequenceLoss)

}  // namespace gradbook
