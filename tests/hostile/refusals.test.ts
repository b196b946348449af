import { expect, test } from "bun:test";
import { withoutReferences } from "../support/openapi.ts";
import { world } from "../support/world.ts";
import { Document } from "./document.ts";
import { furnish } from "./foreign-site.ts";
import { faultsOf, marker, type World } from "./probes.ts";
import { refusals, sound } from "./refusal-table.ts";

async function documentOf({ call }: World): Promise<Document> {
  const { body } = await call("GET", "/docs/json", undefined, { key: null });
  return new Document(withoutReferences(body));
}

/** A world with a row of each resource. */
async function furnishedWorld() {
  const service = await world();
  const make = async (key: string, method: string, path: string, body: object) =>
    (await service.call(method, path, body, { key })).body.data;
  const [own] = await furnish({ make }, service.first.key, "mine", 1);
  if (!own) throw new Error("nothing was made");
  return { service, own, document: await documentOf(service) };
}

test("Every operation rejects each kind of invalid request with its status and problem, and nothing changes", async () => {
  const { service, own, document } = await furnishedWorld();
  const read = async () => (await service.call("GET", `/api/v1/accounts/${own.accountId}`)).text;
  const before = await read();
  const rows = refusals(document, own);
  expect(rows.length).toBeGreaterThan(3_000);
  expect(await faultsOf(service, rows)).toEqual([]);
  expect(await read()).toBe(before);
});

test("A body in which every member is invalid gets one reply with all members", async () => {
  const { service, own, document } = await furnishedWorld();
  for (const list of ["accounts", "contacts", "meetings", "requests"])
    for (const operation of document.operations.filter(
      ({ path, body }) => body && path.replace("/accounts/{accountId}/", "/").startsWith(`/api/v1/${list}`),
    )) {
      const names = Object.keys(document.resolve(operation.body ?? {}).properties ?? {});
      if (operation.path.endsWith("/batch")) continue;
      const { method = "", path = "" } = sound(document, operation, own);
      const reply = await service.call(
        method,
        path,
        Object.fromEntries(names.map((name) => [name, [marker]])),
      );
      const blamed = reply.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      expect([operation.path, reply.status, blamed.toSorted()]).toEqual([
        operation.path,
        400,
        names.map((name) => `/${name}`).toSorted(),
      ]);
      expect(reply.text).not.toContain(marker);
    }
});
