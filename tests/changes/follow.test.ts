import { expect, test } from "bun:test";
import { followChanges } from "../../src/changes/follow.ts";
import { Followers } from "../../src/core/changes/followers.ts";
import type { Tenant } from "../../src/core/tenant/tenant.ts";
import { changeWorld } from "./change-world.ts";

test("a follower reads the changes after a write, and not again while there is none", async () => {
  const { engine, jobs, first, account } = await changeWorld();
  const tenant = jobs.tenant(first.id);
  let readCount = 0;
  const readOne: Tenant["readOne"] = (fn) => {
    readCount += 1;
    return tenant.readOne(fn);
  };
  const follower = new Followers(engine).begin(first.id);
  const pages = followChanges({ readOne }, follower, { after: 0, idleMilliseconds: 20 });
  for (let page = 0; page < 10; page += 1)
    expect(await pages.next()).toEqual({ done: false, value: { rows: [], encoded: new Map(), upTo: 0 } });
  expect(readCount).toBe(1);
  await account({ name: "Acme" });
  for await (const { rows } of pages) if (rows.length > 0) break;
  expect(readCount).toBe(2);
  follower.end();
});
