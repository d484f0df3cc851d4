// What was found on this machine: the one answer for the build and test commands.
import { findChromium } from './setup/chromium.mjs';
import { cacheDir, root } from './setup/common.mjs';
import { findEmscripten } from './setup/emscripten.mjs';
import { findGoogletest } from './setup/googletest.mjs';
import { findImgui } from './setup/imgui.mjs';

/** Paths and versions of the tools; a missing one is undefined. */
export function findEnvironment() {
  return {
    root,
    cacheDir,
    emscripten: findEmscripten(),
    googletest: findGoogletest(),
    imgui: findImgui(),
    chromium: findChromium(),
  };
}
