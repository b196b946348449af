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

/** The server and the browser of a file of tests. Started before its first test, and ended after its last. */
export function consoleSuite() {
  let running: { browser: Browser; server: Console } | undefined;
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
    running = { browser, server: await startConsole() };
  });
  afterAll(async () => {
    await running?.browser.close();
    await running?.server.stop();
  });

  async function visit(options: Options, use: (visit: Visit) => Promise<void>): Promise<void> {
    const { server } = current();
    const context = await newContext(options);
    const watches: ReturnType<typeof watchPage>[] = [];
    const newPage = async (owner = context) => {
      const opened = await owner.newPage();
      watches.push(watchPage(opened));
      return opened;
    };
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
      await context.close();
    }
  }

  async function newContext({
    key,
    width = 1280,
    height = 900,
    colorScheme = "light",
  }: Options): Promise<BrowserContext> {
    const { browser, server } = current();
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      locale: "en-US",
      timezoneId: "UTC",
    });
    context.setDefaultTimeout(20_000);
    await context.addInitScript(reportViolations);
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
    visit,
    newContext,
    setSession,
    /** A test of one page. It fails after an error, a problem that is not expected or a report of the policy. */
    test: (title: string, use: (visit: Visit) => Promise<void>, options: Options = {}) =>
      bunTest(title, () => visit(options, use)),
  };
}
