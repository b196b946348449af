import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { maxAttempts, retryTime } from "../../src/webhooks/deliver/schedule.ts";
import { temporaryFile, world } from "../support/world.ts";
import { codeBlocks, documentAt, sectionOf } from "./documents.ts";
import { examplesWorld } from "./examples-world.ts";
import { receivers } from "./receivers.ts";

setDefaultTimeout(60_000);

const guide = "docs/webhooks.md";

test.skipIf(!Bun.which("curl"))(`the requests of ${guide} create its webhooks`, async () => {
  const { run } = await examplesWorld();
  const blocks = codeBlocks(documentAt(guide), "sh");
  const created = [];
  for (const block of blocks) created.push(JSON.parse(await run(block)).data);
  const common = { types: ["account.health_changed"], ordered: "account", active: true };
  expect(created).toMatchObject([
    { ...common, url: "https://example.com/changes", format: "accountd" },
    { ...common, url: "https://hooks.slack.com/services/T000/B000/XXXX", format: "slack" },
  ]);
  for (const { secret } of created) expect(secret).toStartWith("whsec_");
});

test(`the program of ${guide} prints the changes of the stream`, async () => {
  const { send, key, url } = await examplesWorld();
  await send("POST", "/api/v1/accounts", { name: "Acme" });
  const [program = ""] = codeBlocks(sectionOf(guide, "## The stream"), "js");
  const [head = "", ...rest] = program.split("\n\n");
  const imports = head.replace(/(?<=from ")eventsource/, Bun.resolveSync("eventsource", import.meta.dir));
  const constants = `const [SERVER, KEY] = ${JSON.stringify([url.replace(/\/$/, ""), key])};`;
  const module = temporaryFile("stream.mjs");
  await Bun.write(module, [imports, constants, ...rest].join("\n"));
  const child = Bun.spawn([process.execPath, module], { stdout: "pipe", stderr: "inherit" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  expect((await lines.read()).value).toBe("account.created\n");
  await send("POST", "/api/v1/accounts", { name: "Globex" });
  expect((await lines.read()).value).toBe("account.created\n");
  child.kill();
});

test(`${guide} has the times of the retries`, () => {
  const [numbers = [], , times = []] = sectionOf(guide, "## Failures")
    .split("\n")
    .filter((line) => line.startsWith("| a") || line.startsWith("|-"))
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .slice(2, -1),
    );
  const units = { s: 1_000, min: 60_000, h: 3_600_000, "a day each": 86_400_000 };
  const listed = times.flatMap((text, i) => {
    const [, count = "1", unit = ""] = /^(\d*) ?(.*)$/.exec(text) ?? [];
    const [first = 0, last = first] = (numbers[i] ?? "").split(" to ").map(Number);
    // Safe: an unknown unit makes NaN, which is no delay.
    const delay = Number(count || 1) * units[unit as keyof typeof units];
    return Array.from({ length: last - first + 1 }, () => delay);
  });
  const failed = { now: 0, retryAfterMilliseconds: null };
  const delays = Array.from({ length: maxAttempts - 1 }, (_, i) =>
    retryTime({ ...failed, attempts: i + 1 }, () => 0),
  );
  expect(listed).toEqual(delays as number[]);
});

test("the guide that the server sends has the receivers, also for language models", async () => {
  const { app } = await world();
  const get = async (path: string) => (await app.fetch(new Request(`http://localhost${path}`))).text();
  const [page, models] = await Promise.all([get("/docs/guides/webhooks"), get("/llms-full.txt")]);
  for (const { name } of receivers) {
    const text = await Bun.file(join(import.meta.dir, `../../docs/examples/${name}`)).text();
    expect(models).toContain(text);
    expect(page).toContain(`<h2 id="${name.replace(".", "")}">`);
    expect(page).toContain(Bun.escapeHTML(text).replaceAll("&#x27;", "'"));
    expect(text.split("\n").length).toBeLessThanOrEqual(80);
  }
});
