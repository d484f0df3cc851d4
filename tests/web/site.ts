// Chromium and the built page for the tests of one file: both start before the first test and end after the last.
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { dist, launch, openPage, openScratch, servePage, type Opened, type OpenOptions, type PageServer } from './browser.ts';

export interface Site {
  readonly browser: Browser;
  /** Address of the page, with a slash at the end. */
  readonly url: string;
  /** Opens the page in a profile of its own. */
  open(options?: OpenOptions): Promise<Opened>;
  /** Opens the scratch pad with these code cells, in a profile of its own. */
  scratch(cells: readonly string[], options?: OpenOptions): Promise<Opened>;
}

/** Call it once, outside of tests and before hooks that use it. The options are those of the server. */
export function useSite(options?: Parameters<typeof servePage>[1]): Site {
  let browser: Browser | undefined;
  let server: PageServer | undefined;
  beforeAll(async () => {
    browser = await launch();
    server = await servePage(dist, options);
  });
  // What a test opened goes with it, also when it failed: a page that trains on for ever would hold up its second try and all others.
  let former: ReadonlySet<BrowserContext> = new Set();
  beforeEach(() => { former = new Set(browser!.contexts()); });
  afterEach(async () => {
    await Promise.all(browser!.contexts().filter((each) => !former.has(each)).map((each) => each.close().catch(() => undefined)));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  return {
    get browser() {
      return browser!;
    },
    get url() {
      return server!.url;
    },
    open: (more) => openPage(browser!, server!, more),
    scratch: (cells, more) => openScratch(browser!, server!, cells, more),
  };
}
