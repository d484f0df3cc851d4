// describe: prints the tables of the engine, native or under Node; the build writes engine/api/ops.generated.d.ts with it.
#include <cstdio>
#include <exception>
#include <string>

#include "bind/describe.h"
#include "ops/registry.h"

namespace {

constexpr char kHelp[] =
    "Prints the tables of the engine: ops, optimizers, initializers.\n"
    "\n"
    "  describe --json        everything, as the API reads it at run time\n"
    "  describe --words       summary, example and formula of each op, as JSON\n"
    "  describe --typings     engine/api/ops.generated.d.ts\n"
    "  describe --reference   the reference of all ops, in Markdown\n";

}  // namespace

int main(int count, char** arguments) {
  const std::string wanted = count == 2 ? arguments[1] : "";
  try {
    gradbook::register_ops();
    std::string text;
    if (wanted == "--json")
      text = gradbook::describe_json() + "\n";
    else if (wanted == "--words")
      text = gradbook::describe_words() + "\n";
    else if (wanted == "--typings")
      text = gradbook::describe_typings();
    else if (wanted == "--reference")
      text = gradbook::describe_reference();
    else if (wanted == "--help")
      text = kHelp;
    else {
      std::fputs(count < 2 ? kHelp : (wanted.empty() ? "describe: takes one option\n" : ("describe: unknown option " + wanted + "\n").c_str()), stderr);
      if (count >= 2) std::fputs(kHelp, stderr);
      return 2;
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) std::fputs("describe: could not write the result\n", stderr);
    return written ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "describe: %s\n", error.what());
    return 1;
  }
}
