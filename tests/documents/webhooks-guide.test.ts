import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
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
