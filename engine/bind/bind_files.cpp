// Exported functions for files; exports.h says what each does. Bytes cross the border as uint8 tensors, names as JSON.
#include <cstring>

#include "bind/border.h"
#include "bind/exports.h"
#include "io/json.h"
#include "io/safetensors.h"

using namespace gradbook;
using namespace gradbook::border;

namespace {

// The bytes of a uint8 tensor; `keep` holds them.
std::span<const uint8_t> bytes_at(int32_t handle, Tensor& keep) {
  const Tensor& tensor = tensor_at(handle);
  check(tensor.dtype() == DType::kUint8, ErrorCode::kType, "bytes must come as a uint8 tensor, got ", info(tensor.dtype()).name);
  keep = tensor.contiguous();
  return {keep.data<uint8_t>(), static_cast<size_t>(keep.element_count())};
}

// {"tensors":[[name, handle], ...], "metadata":{name: text}}
Safetensors read_description(std::string_view text) {
  Safetensors content;
  JsonCursor json(text, "description");
  json.expect('{');
  do {
    const std::string key = json.string();
    json.expect(':');
    const bool tensors = key == "tensors";
    check(tensors || key == "metadata", ErrorCode::kValue, "description: unknown field ", json_quoted(key));
    json.expect(tensors ? '[' : '{');
    const char close = tensors ? ']' : '}';
    if (json.accept(close)) continue;
    do {
      if (tensors) {
        json.expect('[');
        std::string name = json.string();
        json.expect(',');
        const uint64_t handle = json.whole();
        check(handle <= 2147483647, ErrorCode::kState, "a tensor is missing (handle ", handle, ")");
        content.tensors.push_back({std::move(name), tensor_at(static_cast<int32_t>(handle))});
        json.expect(']');
      } else {
        std::string name = json.string();
        json.expect(':');
        content.metadata.emplace_back(std::move(name), json.string());
      }
    } while (json.accept(','));
    json.expect(close);
  } while (json.accept(','));
  json.expect('}');
  json.expect_end();
  return content;
}

}  // namespace

extern "C" {

int32_t gb_safetensors_read(int32_t file) {
  return guarded([&] {
    Tensor keep;
    Safetensors content = read_safetensors(bytes_at(file, keep));
    std::vector<int32_t> handles;
    handles.reserve(content.tensors.size());
    try {
      std::string text = "{\"tensors\":[";
      for (NamedTensor& named : content.tensors) {
        handles.push_back(add_handle(std::move(named.tensor)));
        text += (handles.size() > 1 ? ",[" : "[") + json_quoted(named.name) + "," + std::to_string(handles.back()) + "]";
      }
      text += "],\"metadata\":{";
      for (const auto& [key, value] : content.metadata) text += (text.back() == '{' ? "" : ",") + json_quoted(key) + ":" + json_quoted(value);
      last_text() = text + "}}";
    } catch (...) {
      for (int32_t handle : handles) release_handle(handle);
      throw;
    }
    return static_cast<int32_t>(handles.size());
  });
}

int32_t gb_safetensors_write(int32_t description) {
  return guarded([&] {
    Tensor keep;
    const std::span<const uint8_t> text = bytes_at(description, keep);
    const std::vector<uint8_t> file = write_safetensors(read_description({reinterpret_cast<const char*>(text.data()), text.size()}));
    const Tensor bytes = Tensor::empty({static_cast<Index>(file.size())}, DType::kUint8);
    std::memcpy(bytes.raw(), file.data(), file.size());
    return add_handle(bytes);
  });
}

}  // extern "C"
