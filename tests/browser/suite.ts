import { afterAll, beforeAll, test as bunTest, expect } from "bun:test";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumPath } from "./chromium.ts";
import { reportViolations, unexpectedOf, watchPage } from "./fault-watch.ts";
import { type Console, startConsole } from "./server.ts";

export type Options = {
  /** Replies with a problem that the test causes: `404 GET /path`. Each must occur. */
  expected?: readonly RegExp[];
  /** Whose session the page has; null: signed out. Default: the key of the server, which has all scopes. */
  key?: string | null;
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
};

/** Expects the 412 of an edit of what another one changed. */
export const isConflict = (path: string): Options => ({
  expected: [new RegExp(`^412 PATCH /api/v1/${path}/\\d+$`)],
});

/** A page of the console, and the server behind it. */
export type Visit = {
  page: Page;
  context: BrowserContext;
  /** Opens a path of the console and waits until it has loaded its data. */
  open: (path: string) => Promise<void>;
  /** Resolves when the page has no request that is running. */
  idle: () => Promise<void>;
  /** Another page of the same session, or of none, whose faults count too. */
  newPage: (context?: BrowserContext) => Promise<Page>;
};

type Running = {
  browser: Browser;
  server: Console;
  context: BrowserContext;
  /** Removes what the test before left in the context, except its pages. */
  clear: () => Promise<void>;
};

/**
 * The server and the browser of a file of tests. Started before its first test, and ended after its last. The tests
 * share a context, because each context costs a window and processes. Pages, cookies, storage and routes are removed.
 * `flags` are of the server.
 */
export function consoleSuite(flags: readonly string[] = []) {
  let running: Running | undefined;
  const current = () => {
    if (!running) throw new Error("the suite has not started");
    return running;
  };
  beforeAll(async () => {
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ["--no-sandbox"],
      // Playwright switches it off; readers have it.
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
    });
    const server = await startConsole(flags);
    const context = await createContext(browser);
    // The window of the context stays open.
    const session = await context.newCDPSession(await context.newPage());
    const clear = async () => {
      await context.unrouteAll();
      await serveLogos(context);
      await context.clearCookies();
      await session.send("Storage.clearDataForOrigin", { origin: server.url, storageTypes: "all" });
    };
    running = { browser, server, context, clear };
  });
  afterAll(async () => {
    await running?.browser.close();
    await running?.server.stop();
  });

  async function visit(options: Options, use: (visit: Visit) => Promise<void>): Promise<void> {
    const { server, context, clear } = current();
    const { key, width = 1280, height = 900, colorScheme = "light" } = options;
    const watches: ReturnType<typeof watchPage>[] = [];
    const opened: Page[] = [];
    const newPage = async (owner = context) => {
      const page = await owner.newPage();
      opened.push(page);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      watches.push(watchPage(page));
      return page;
    };
    await clear();
    if (key !== null) await setSession(context, await server.signIn(key ?? server.key));
    const page = await newPage();
    const idle = async () => {
      if (page.url() !== "about:blank") await page.locator("#console h1").first().waitFor();
      for (const watch of watches) await watch.idle();
    };
    const open = async (path: string) => {
      await page.goto(server.url + path);
      await idle();
    };
    try {
      await use({ page, context, open, idle, newPage });
      const seen = {
        faults: watches.flatMap(({ faults }) => faults),
        problems: watches.flatMap(({ problems }) => problems),
      };
      expect(unexpectedOf(seen, options.expected ?? [])).toEqual([]);
    } finally {
      for (const page of opened) await page.close();
    }
  }

  /** Another context, signed in with the key of the server, or signed out. */
  async function newContext({ key }: Pick<Options, "key">): Promise<BrowserContext> {
    const { browser, server } = current();
    const context = await createContext(browser);
    if (key !== null) await setSession(context, await server.signIn(key ?? server.key));
    return context;
  }

  /** Gives a context the cookie of a session. */
  async function setSession(context: BrowserContext, token: string): Promise<void> {
    const { hostname } = new URL(current().server.url);
    const cookie = { name: "accountd_session", value: token, domain: hostname, path: "/" };
    await context.addCookies([{ ...cookie, httpOnly: true, sameSite: "Strict" }]);
  }

  return {
    server: () => current().server,
    createAccount: async (members: object): Promise<number> =>
      (await current().server.request<{ id: number }>("POST", "accounts", { ...members })).id,
    visit,
    newContext,
    setSession,
    /** A test of one page. It fails after an error, a problem that is not expected or a report of the policy. */
    test: (title: string, use: (visit: Visit) => Promise<void>, options: Options = {}) =>
      bunTest(title, () => visit(options, use)),
  };
}

/** Logos of accounts are images of other servers, which a test does not reach. */
async function serveLogos(context: BrowserContext): Promise<void> {
  const body =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" /></svg>';
  await context.route(/^https:/, (route) => route.fulfill({ contentType: "image/svg+xml", body }));
}

async function createContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    locale: "en-US",
    timezoneId: "UTC",
  });
  // A slow machine with several suites at a time takes half a minute for the API reference.
  context.setDefaultTimeout(60_000);
  await serveLogos(context);
  await context.addInitScript(reportViolations);
  return context;
}
