// The tables of the engine written out: as JSON for the API at run time, as TypeScript typings, and as the reference page.
// Nothing here is known about an op that its row does not say.
#pragma once

#include <string>

#include "autodiff/op.h"

namespace gradbook {

/// How a row becomes a call in TypeScript. The rule itself: arguments fill the parameters from left to right; a plain object at
/// the end gives attributes and optional tensors by name; see engine/api/signature.ts.
struct CallForm {
  bool method = false;  // the first parameter is one required tensor: x.name(...)
  bool spread = false;  // the only attribute is a list of integers: its brackets may be left out
};
CallForm call_form(const Op& op);

/// What this build is: "native", or the wasm flavour by its file name.
const char* engine_flavour();
/// "native", "simd" or "relaxed".
const char* engine_simd();
/// True when kernels can run on more than one thread.
bool engine_has_threads();

/// All tables as one JSON object; the position of an op in "ops" is its number.
std::string describe_json();
/// What people read about each op, by its name: summary, example, what that gives, formula. Not in the engine of the page.
std::string describe_words();
/// engine/api/ops.generated.d.ts. Runs ops on small tensors to learn where a number may stand for a tensor.
std::string describe_typings();
/// The reference of all public ops in Markdown, one heading per op, in the order of the tables.
std::string describe_reference();

}  // namespace gradbook
