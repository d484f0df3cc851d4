#include "io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "io/json.h"

namespace gradbook {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie");

constexpr uint64_t kLargestHeader = 100'000'000;

/// A size that a file claims, for messages: it may be beyond the signed numbers that messages hold.
struct Claimed {
  uint64_t bytes;
};
std::string to_string(const Claimed& claimed) { return std::to_string(claimed.bytes); }

// -- element types of files ------------------------------------------------------------------------------------------

float bfloat_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// Copies `count` values of type From, which may lie anywhere, through `convert`.
template <class From, class To, class Convert>
void copy_through(const uint8_t* from, Index count, To* to, Convert convert) {
  for (Index i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + static_cast<size_t>(i) * sizeof(From), sizeof(From));
    to[i] = convert(value);
  }
}

template <class From>
void copy_as_int32(const uint8_t* from, Index count, const Tensor& to) {
  copy_through<From>(from, count, to.data<int32_t>(), [](From value) {
    if (!std::in_range<int32_t>(value)) fail(ErrorCode::kValue, "holds ", value, ", which does not fit int32");
    return static_cast<int32_t>(value);
  });
}

void copy_plain(const uint8_t* from, Index count, const Tensor& to) {
  if (count) std::memcpy(to.raw(), from, static_cast<size_t>(count) * info(to.dtype()).size);
}

// Any byte but 0 is true; a bool with another value than 0 and 1 would be undefined.
void copy_bools(const uint8_t* from, Index count, const Tensor& to) {
  bool* out = to.data<bool>();
  for (Index i = 0; i < count; ++i) out[i] = from[i] != 0;
}

struct FileType {
  std::string_view name;
  size_t size;
  DType dtype;  // what it becomes here
  void (*copy)(const uint8_t* from, Index count, const Tensor& to);
};
// The first row of a dtype is what it is written as.
constexpr FileType kFileTypes[] = {
    {"F32", 4, DType::kFloat32, copy_plain},
    {"F64", 8, DType::kFloat64, copy_plain},
    {"I32", 4, DType::kInt32, copy_plain},
    {"U8", 1, DType::kUint8, copy_plain},
    {"BOOL", 1, DType::kBool, copy_bools},
    {"F16", 2, DType::kFloat16, copy_plain},
    {"BF16", 2, DType::kFloat32, [](const uint8_t* from, Index count, const Tensor& to) { copy_through<uint16_t>(from, count, to.data<float>(), bfloat_to_float); }},
    {"I64", 8, DType::kInt32, copy_as_int32<int64_t>},
    {"U64", 8, DType::kInt32, copy_as_int32<uint64_t>},
    {"U32", 4, DType::kInt32, copy_as_int32<uint32_t>},
    {"I16", 2, DType::kInt32, copy_as_int32<int16_t>},
    {"U16", 2, DType::kInt32, copy_as_int32<uint16_t>},
    {"I8", 1, DType::kInt32, copy_as_int32<int8_t>},
};

const FileType& file_type(std::string_view name) {
  for (const FileType& type : kFileTypes)
    if (type.name == name) return type;
  fail(ErrorCode::kType, "has the element type ", json_quoted(name), ", which is not supported");
}

const FileType& file_type_of(DType dtype) { return *std::find_if(std::begin(kFileTypes), std::end(kFileTypes), [&](const FileType& type) { return type.dtype == dtype; }); }

// -- the header ------------------------------------------------------------------------------------------------------

struct Entry {
  std::string name;
  const FileType* type = nullptr;
  Shape shape;
  uint64_t begin = 0, end = 0;  // in the data
};

Shape read_shape(JsonCursor& json) {
  Shape shape;
  json.expect('[');
  if (json.accept(']')) return shape;
  do {
    const uint64_t size = json.whole();
    check(size <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max()), ErrorCode::kValue, "has an axis of size ", size, ", which is too large");
    shape.push_back(static_cast<Index>(size));
  } while (json.accept(','));
  json.expect(']');
  return shape;
}

Entry read_entry(JsonCursor& json, std::string name) {
  Entry entry;
  entry.name = std::move(name);
  bool has_shape = false, has_place = false;
  json.expect('{');
  if (!json.accept('}')) {
    do {
      const std::string key = json.string();
      json.expect(':');
      if (key == "dtype" && !entry.type) {
        entry.type = &file_type(json.string());
      } else if (key == "shape" && !has_shape) {
        entry.shape = read_shape(json);
        has_shape = true;
      } else if (key == "data_offsets" && !has_place) {
        json.expect('[');
        entry.begin = json.whole();
        json.expect(',');
        entry.end = json.whole();
        json.expect(']');
        has_place = true;
      } else {
        fail(ErrorCode::kValue, "has the field ", json_quoted(key), " twice, or it is unknown");
      }
    } while (json.accept(','));
    json.expect('}');
  }
  check(entry.type && has_shape && has_place, ErrorCode::kValue, "lacks one of dtype, shape, data_offsets");
  return entry;
}

void check_place(const Entry& entry, uint64_t data_size) {
  check(entry.begin <= entry.end && entry.end <= data_size, ErrorCode::kValue, "lies at bytes ", Claimed{entry.begin}, " to ", Claimed{entry.end}, ", but the file has ", data_size, " bytes of data");
  const uint64_t expected = static_cast<uint64_t>(element_count(entry.shape)) * entry.type->size;
  check(entry.end - entry.begin == expected, ErrorCode::kValue, "has ", Claimed{entry.end - entry.begin}, " bytes, but shape ", to_string(entry.shape), " of ", entry.type->name, " needs ", expected);
}

// Every byte of the data must belong to exactly one tensor: what is hidden in holes or read twice is no honest file.
void check_cover(const std::vector<Entry>& entries, uint64_t data_size) {
  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (const Entry& entry : entries) places.emplace_back(entry.begin, entry.end);
  // A heap: a quarter of std::sort's bytes in the page.
  std::make_heap(places.begin(), places.end());
  std::sort_heap(places.begin(), places.end());
  uint64_t at = 0;
  for (const auto& [begin, end] : places) {
    check(begin >= at, ErrorCode::kValue, "tensors overlap at byte ", begin, " of the data");
    check(begin == at, ErrorCode::kValue, "bytes ", at, " to ", begin, " of the data belong to no tensor");
    at = end;
  }
  check(at == data_size, ErrorCode::kValue, "bytes ", at, " to ", data_size, " of the data belong to no tensor");
}

struct Header {
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;
};

std::vector<std::pair<std::string, std::string>> read_metadata(JsonCursor& json) {
  std::vector<std::pair<std::string, std::string>> metadata;
  std::unordered_set<std::string> names;
  json.expect('{');
  if (json.accept('}')) return metadata;
  do {
    std::string key = json.string();
    check(names.insert(key).second, ErrorCode::kValue, "metadata has ", json_quoted(key), " twice");
    json.expect(':');
    metadata.emplace_back(std::move(key), json.string());
  } while (json.accept(','));
  json.expect('}');
  return metadata;
}

Header read_header(std::string_view text, uint64_t data_size) {
  Header header;
  std::unordered_set<std::string> names;
  check(!text.empty() && text.front() == '{', ErrorCode::kValue, "the header does not begin with {");
  JsonCursor json(text, "header");
  json.expect('{');
  if (!json.accept('}')) {
    do {
      std::string name = json.string();
      check(names.insert(name).second, ErrorCode::kValue, "the name ", json_quoted(name), " comes twice");
      json.expect(':');
      if (name == "__metadata__") {
        header.metadata = read_metadata(json);
        continue;
      }
      try {
        header.entries.push_back(read_entry(json, name));
        check_place(header.entries.back(), data_size);
      } catch (const Error& error) {
        fail(error.code(), "tensor ", json_quoted(name), " ", error.what());
      }
    } while (json.accept(','));
    json.expect('}');
  }
  json.expect_end();
  check_cover(header.entries, data_size);
  return header;
}

Safetensors read(std::span<const uint8_t> file) {
  check(file.size() >= 8, ErrorCode::kValue, "the file has ", file.size(), " bytes, which is too short");
  uint64_t header_size;
  std::memcpy(&header_size, file.data(), 8);
  check(header_size <= kLargestHeader && header_size <= file.size() - 8, ErrorCode::kValue, "the header claims ", Claimed{header_size}, " bytes, but the file has ", file.size(),
        "; is this a safetensors file?");
  const std::span<const uint8_t> data = file.subspan(8 + header_size);
  Header header = read_header({reinterpret_cast<const char*>(file.data() + 8), static_cast<size_t>(header_size)}, data.size());
  Safetensors content;
  content.metadata = std::move(header.metadata);
  content.tensors.reserve(header.entries.size());
  for (Entry& entry : header.entries) {
    Tensor tensor = Tensor::empty(entry.shape, entry.type->dtype);
    try {
      entry.type->copy(data.data() + entry.begin, tensor.element_count(), tensor);
    } catch (const Error& error) {
      fail(error.code(), "tensor ", json_quoted(entry.name), " ", error.what());
    }
    content.tensors.push_back({std::move(entry.name), std::move(tensor)});
  }
  return content;
}

std::vector<uint8_t> write(const Safetensors& content) {
  std::vector<const NamedTensor*> order;
  std::unordered_set<std::string_view> names = {"__metadata__"};
  for (const NamedTensor& named : content.tensors) {
    check(names.insert(named.name).second, ErrorCode::kValue, "the name ", json_quoted(named.name), " cannot be used, or comes twice");
  }
  const auto element_size = [](const NamedTensor* named) { return info(named->tensor.dtype()).size; };
  for (size_t size : {8, 4, 2, 1})
    for (const NamedTensor& named : content.tensors)
      if (element_size(&named) == size) order.push_back(&named);

  std::string header = "{";
  if (!content.metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [key, value] : content.metadata) header += (header.back() == '{' ? "" : ",") + json_quoted(key) + ":" + json_quoted(value);
    header += "}";
  }
  size_t at = 0;
  for (const NamedTensor* named : order) {
    const Tensor& t = named->tensor;
    const size_t end = at + static_cast<size_t>(t.element_count()) * element_size(named);
    std::string sizes = to_string(t.shape());
    sizes.erase(std::remove(sizes.begin(), sizes.end(), ' '), sizes.end());
    header += (header.size() > 1 ? "," : "") + json_quoted(named->name) + ":{\"dtype\":\"" + std::string(file_type_of(t.dtype()).name) + "\",\"shape\":" + sizes + ",\"data_offsets\":[" +
              std::to_string(at) + "," + std::to_string(end) + "]}";
    at = end;
  }
  header += "}";
  // The data begin at a multiple of 8 bytes.
  header.append((8 - header.size() % 8) % 8, ' ');
  check(header.size() <= kLargestHeader, ErrorCode::kValue, "too many tensors for one file");

  std::vector<uint8_t> file(8 + header.size() + at);
  const uint64_t header_size = header.size();
  std::memcpy(file.data(), &header_size, 8);
  std::memcpy(file.data() + 8, header.data(), header.size());
  uint8_t* out = file.data() + 8 + header.size();
  for (const NamedTensor* named : order) {
    const Tensor values = named->tensor.contiguous();
    const size_t bytes = static_cast<size_t>(values.element_count()) * element_size(named);
    if (bytes) std::memcpy(out, values.raw(), bytes);
    out += bytes;
  }
  return file;
}

// Runs `body` with "safetensors: " in front of its errors.
template <class Body>
auto named_errors(Body body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error(error.code(), std::string("safetensors: ") + error.what());
  }
}

}  // namespace

Safetensors read_safetensors(std::span<const uint8_t> file) {
  return named_errors([&] { return read(file); });
}

std::vector<uint8_t> write_safetensors(const Safetensors& content) {
  return named_errors([&] { return write(content); });
}

}  // namespace gradbook
