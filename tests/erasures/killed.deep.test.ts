import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { command, organization, serve } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";
import { email, marker, userId } from "./erasure-world.ts";

const eventCount = 3_000;
const contactCount = 150;

test("an erasure that a SIGKILL interrupts, several times, is completed by a repeated one", async () => {
  const file = temporaryFile("accountd.db");
  const key = await organization(file);
  const scope = ["--organization", "First", "--scope", "admin"];
  const adminKey = await command("keys", "create", ...scope, "--database", file);
  let server = await serve(file);

  const send = async (path: string, body: object, secret = key) => {
    const headers = { "x-api-key": secret, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const reply = await fetch(`${server.url}/api/v1${path}`, init);
    if (!reply.ok) throw new Error(await reply.text());
    return (await reply.json()) as { data: Record<string, number> };
  };

  for (let from = 0; from < contactCount; from += 50) {
    const accounts = Array.from({ length: 50 }, (_, i) => ({
      externalId: `a${from + i}`,
      name: `Account ${from + i}`,
      contacts: [{ externalId: `${marker} ${from + i}`, name: `${marker} name`, email }],
    }));
    await send("/accounts/batch", { accounts });
  }
  const events = Array.from({ length: 1_000 }, (_, i) => ({
    ...{ event: `event ${i % 50}`, externalId: `a${i % contactCount}`, userId, properties: { text: marker } },
  }));
  for (let count = 0; count < eventCount; count += 1_000) await send("/events", { events });

  let interruptedCount = 0;
  for (const milliseconds of [5, 20, 40, 60]) {
    const erasing = send("/erasures", { email, userId }, adminKey).catch(() => undefined);
    await Bun.sleep(milliseconds);
    server.process.kill("SIGKILL");
    if ((await erasing) === undefined) interruptedCount += 1;
    await server.process.exited;
    server = await serve(file);
  }
  expect(interruptedCount).toBeGreaterThan(0);
  await send("/erasures", { email, userId }, adminKey);
  expect((await send("/erasures", { email, userId }, adminKey)).data).toEqual({
    ...{ contacts: 0, events: 0, usageUsers: 0, changes: 0, idempotentReplies: 0 },
  });
  const files = ["", "-wal"].map((suffix) => file + suffix).filter(existsSync);
  const texts = files.map((path) => readFileSync(path).toString("latin1"));
  expect(texts.filter((text) => text.includes(marker))).toEqual([]);
  expect(await command("check", "--database", file)).not.toContain("damaged");
}, 30_000);
