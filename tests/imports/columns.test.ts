import { expect, test } from "bun:test";
import { importWorld, nothing } from "./import-world.ts";

test("Columns are found by the names of members without blanks, signs and case, and statuses in any case", async () => {
  const { importBytes, call } = await importWorld();
  const header = "External ID,NAME,contact_activity-at,Status,Logo";
  const { counts, ignored } = await importBytes(`${header}\nacme,Acme,2026-01-01,Churned,x\n`);
  expect([counts, ignored]).toEqual([{ ...nothing, lines: 1, created: 1 }, ["Logo"]]);
  const { data } = (await call("GET", "/api/v1/accounts/external/acme?include=status")).body;
  expect(data).toMatchObject({ name: "Acme", status: "churned" });
  for (const column of ["External id", "externalid", "external_id"])
    expect((await importBytes(`${column},mrr\nacme,0\n`)).counts).toMatchObject({ unchanged: 1 });
  const requests = "External id,Account external id,Title,Status\nr,acme,SSO,PLANNED\n";
  expect((await importBytes(requests, { resource: "requests" })).counts).toMatchObject({ created: 1 });
  const { body } = await call("GET", "/api/v1/requests/external/r");
  expect(body.data).toMatchObject({ title: "SSO", status: "Planned" });
});

test("The column with the name of a member is imported rather than those with similar names", async () => {
  const { importBytes, names } = await importWorld();
  const { ignored } = await importBytes("External id,externalId,Name,name\nx,a,X,A\n");
  expect(ignored).toEqual(["External id", "Name"]);
  expect([...(await names())]).toEqual([["a", "A"]]);
});

test("Two columns with names that are similar to that of a member need --map", async () => {
  const { importBytes, names } = await importWorld();
  const csv = "External id,external_id,name\na,b,A\n";
  await expect(importBytes(csv)).rejects.toThrow(
    'The columns External id and external_id could both be externalId. Choose one: --map "External id=externalId".',
  );
  const { ignored } = await importBytes(csv, { map: "external_id=externalId" });
  expect([ignored, [...(await names())]]).toEqual([["External id"], [["b", "A"]]]);
  await importBytes(csv, { map: "external_id=attributes.old" });
  expect([...(await names()).keys()]).toEqual(["b", "a"]);
  await expect(importBytes("External id,External id,name\na,b,A\n")).rejects.toThrow("External id twice");
});

test("Statuses in JSON lines are those of the API", async () => {
  const { importBytes } = await importWorld();
  const { counts } = await importBytes('{"externalId":"a","name":"A","status":"Active"}\n', {
    name: "file.jsonl",
  });
  expect(counts).toEqual({ ...nothing, lines: 1, rejected: 1 });
});
