import type { Page } from "playwright-core";

/** Reports of the content security policy in the log of the page. */
export const reportViolations = `addEventListener("securitypolicyviolation", (event) =>
  console.error("CSP report:", event.violatedDirective, event.blockedURI));`;

/** Collects what must not happen on a page: errors, failed requests, violations of its policy and dialogs of scripts. */
export function watchPage(page: Page) {
  const faults: string[] = [];
  const problems: string[] = [];
  const running = new Set<unknown>();
  const loading = page.locator(".placeholder, [aria-busy=true]");
  let lastChange = performance.now();
  const change = () => {
    lastChange = performance.now();
  };
  page.on("console", (message) => {
    // The problem of a reply is recorded with its method and path.
    const isOfReply = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isOfReply) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("request", (request) => {
    if (isStream(request.url())) return;
    running.add(request);
    change();
  });
  page.on("requestfinished", (request) => {
    running.delete(request);
    change();
  });
  page.on("requestfailed", (request) => {
    running.delete(request);
    change();
    // The page aborts requests that it needs no more.
    const reason = request.failure()?.errorText ?? "";
    if (reason !== "net::ERR_ABORTED") faults.push(`${reason}: ${request.method()} ${request.url()}`);
  });
  page.on("response", (response) => {
    // The stream is the first to learn that a session ended.
    if (response.status() < 400 || (response.status() === 401 && isStream(response.url()))) return;
    const { pathname } = new URL(response.url());
    problems.push(`${response.status()} ${response.request().method()} ${pathname}`);
  });
  return {
    faults,
    /** The replies with a status of 400 and above: `404 GET /path`. */
    problems,
    /** Resolves when no request has been running for `quietMilliseconds` and nothing is being loaded. */
    async idle(quietMilliseconds = 100): Promise<void> {
      const end = performance.now() + 30_000;
      change();
      const isBusy = async () =>
        running.size > 0 || performance.now() - lastChange < quietMilliseconds || (await loading.count()) > 0;
      while (await isBusy()) {
        if (performance.now() > end) throw new Error(`${running.size} requests do not end`);
        await Bun.sleep(20);
      }
    },
  };
}

/** Whether a request stays open as long as the page. */
const isStream = (url: string) => new URL(url).pathname === "/api/v1/changes/stream";

/** What is not expected, and what is expected and did not happen. */
export function unexpectedOf(
  { faults, problems }: Pick<ReturnType<typeof watchPage>, "faults" | "problems">,
  expected: readonly RegExp[],
): string[] {
  const others = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
  const missing = expected.filter((pattern) => !problems.some((problem) => pattern.test(problem)));
  return [...faults, ...others, ...missing.map((pattern) => `missing: ${pattern}`)];
}
