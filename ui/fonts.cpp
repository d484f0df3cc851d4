#include "ui/fonts.h"

#include <cmath>
#include <vector>

#include "imgui_internal.h"

// ui/host.js
extern "C" {
void host_font_metrics(int font, float size, float* ascent_descent);
float host_glyph_advance(int font, float size, int code);
int host_glyph_draw(int font, float size, int code, int* box, unsigned char* pixels, int capacity);
}

namespace gradbook::ui {
namespace {

int font_of(const ImFontConfig* source) { return static_cast<int>(source->FontNo); }

bool init_baked(ImFontAtlas*, ImFontConfig* source, ImFontBaked* baked, void*) {
  float metrics[2];
  host_font_metrics(font_of(source), baked->Size, metrics);
  // Lines are as high as the size says: the middle of the letters stands in the middle of the line.
  const float excess = metrics[0] + metrics[1] - baked->Size;
  baked->Ascent = std::round(metrics[0] - excess / 2);
  baked->Descent = -(baked->Size - baked->Ascent);
  return true;
}

bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void*, ImWchar code, ImFontGlyph* glyph, float* advance) {
  const float density = source->RasterizerDensity * baked->RasterizerDensity;
  const float width = host_glyph_advance(font_of(source), baked->Size * density, static_cast<int>(code)) / density;
  if (advance) {
    *advance = width;
    return true;
  }
  glyph->Codepoint = code;
  glyph->AdvanceX = width;
  static std::vector<unsigned char> pixels(256 * 256);
  int box[4];
  if (!host_glyph_draw(font_of(source), baked->Size * density, static_cast<int>(code), box, pixels.data(), static_cast<int>(pixels.size()))) return true;
  const ImFontAtlasRectId place = ImFontAtlasPackAddRect(atlas, box[2], box[3]);
  if (place == ImFontAtlasRectId_Invalid) return false;
  ImTextureRect* rect = ImFontAtlasPackGetRect(atlas, place);
  glyph->X0 = static_cast<float>(box[0]) / density;
  glyph->Y0 = static_cast<float>(box[1]) / density + baked->Ascent;
  glyph->X1 = glyph->X0 + static_cast<float>(box[2]) / density;
  glyph->Y1 = glyph->Y0 + static_cast<float>(box[3]) / density;
  glyph->Visible = true;
  glyph->PackId = place;
  ImFontAtlasBakedSetFontGlyphBitmap(atlas, baked, source, glyph, rect, pixels.data(), ImTextureFormat_Alpha8, box[2]);
  return true;
}

const ImFontLoader* loader() {
  static ImFontLoader loader;
  loader.Name = "page";
  loader.FontSrcContainsGlyph = [](ImFontAtlas*, ImFontConfig*, ImWchar) { return true; };
  loader.FontBakedInit = init_baked;
  loader.FontBakedLoadGlyph = load_glyph;
  return &loader;
}

}  // namespace

Fonts add_fonts(float size) {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->SetFontLoader(loader());
  ImFont* fonts[3];
  for (int i = 0; i < 3; ++i) {
    ImFontConfig config;
    config.FontNo = static_cast<ImU32>(i);
    config.FontLoader = loader();
    config.SizePixels = size;
    fonts[i] = atlas->AddFont(&config);
  }
  return {fonts[0], fonts[1], fonts[2]};
}

}  // namespace gradbook::ui
