// The inspector's wasm module, as its glue script gives it. What the functions do is said in ui/main.cpp.
export interface InspectorModule {
  readonly GL: {
    registerContext(context: WebGL2RenderingContext, attributes: object): number;
    makeContextCurrent(handle: number): boolean;
  };
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  UTF8ToString(at: number): string;
  stringToNewUTF8(text: string): number;
  _malloc(size: number): number;
  _free(at: number): void;
  _ui_start(): void;
  _ui_colours(at: number): void;
  _ui_colour_count(): number;
  _ui_snapshot(at: number, size: number): number;
  _ui_panel_count(): number;
  _ui_panel_name(panel: number): number;
  _ui_show(panel: number): void;
  _ui_pointer(x: number, y: number): void;
  _ui_button(button: number, down: number): void;
  _ui_wheel(x: number, y: number, zooms: number): void;
  _ui_filter(at: number): void;
  _ui_look_at(at: number, line: number): void;
  _ui_cells(at: number): void;
  _ui_select_node(node: number): void;
  _ui_selected_node(): number;
  _ui_select_tensor(key: number): void;
  _ui_selected_tensor(): number;
  _ui_fit(): void;
  _ui_zoom(by: number): void;
  _ui_cursor(): number;
  _ui_frame(width: number, height: number, ratio: number, seconds: number): void;
}
