import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { Tenant } from "../../src/core/tenant.ts";
import { erasePerson } from "../../src/erasures/store.ts";
import { reactions } from "../../src/reactions.ts";
import { erasureWorld } from "./erasure-world.ts";

const [old, current] = ["old@x.io", "new@x.io"];

test("erasures of two persons by two servers keep no value in a change or reply of both", async () => {
  const here = await erasureWorld();
  const contact = await here.send("POST", "/api/v1/accounts/1/contacts", { name: "One", email: old });
  await here.send("PATCH", `/api/v1/contacts/${contact.id}`, { email: current });
  const operations = [
    { method: "PATCH", path: `/api/v1/contacts/${contact.id}`, body: { name: "One again" } },
    { method: "POST", path: "/api/v1/accounts/1/contacts", body: { name: "Two", email: old } },
  ];
  await here.send("POST", "/api/v1/batch", { mode: "atomic", operations }, { "idempotency-key": "both" });

  await Promise.all(
    [old, current].map((email) => erasePerson(tenantOf({ ...here.engine }), { email }, false)),
  );

  const content = await here.content();
  expect(content).not.toContain(old);
  expect(content).not.toContain(current);

  /** The erasures of one engine object run one after another. */
  function tenantOf(engine: Engine): Tenant {
    const services = { engine, reactions, runJob: async () => {} };
    return new Tenant(services, {
      organizationId: here.first.id,
      actor: { type: "cli" },
      requestId: null,
    });
  }
});
