// Whoever records what happens to tensors outside of ops: copies, conversions, changes in place, gradients of leaves.
// Tensor tells the one watcher, when there is one; what is made of it is left to engine/program.
#pragma once

namespace gradbook {

class Tensor;

class TensorWatcher {
 public:
  /// `to` is new and holds the values of `from`, perhaps in another dtype.
  virtual void copied(const Tensor& from, const Tensor& to) = 0;
  /// The elements of `to`, which existed before, became those of `from`.
  virtual void overwritten(const Tensor& to, const Tensor& from) = 0;
  /// An op looks at the values of a tensor to decide which other ops it is made of.
  virtual void values_read(const Tensor& tensor) = 0;
  /// Somebody looks at the gradient of `leaf`, or whether there is one.
  virtual void gradient_read(const Tensor& leaf) = 0;
  /// `leaf` got another gradient, or none.
  virtual void gradient_set(const Tensor& leaf, const Tensor& gradient) = 0;

 protected:
  ~TensorWatcher() = default;
};

/// The watcher; null: nobody.
TensorWatcher* tensor_watcher();
/// Returns the former one.
TensorWatcher* set_tensor_watcher(TensorWatcher* watcher);

}  // namespace gradbook
