import { expect, test } from "bun:test";
import { requestWorld } from "./request-world.ts";

const missing = {
  type: "urn:accountd:problem:not_found",
  title: "Not found",
  status: 404,
  detail: "There is no request with this id in your organization.",
  code: "not_found",
};

test("DELETE is 204 without a body; a second one is 404", async () => {
  const { request, remove, get, patch, list, call } = await requestWorld();
  const { id } = await request({ title: "SSO", status: "Done" });
  const kept = await request({ title: "Export" });
  const reply = await remove(id);
  expect([reply.status, reply.text, reply.headers.get("content-type")]).toEqual([204, "", null]);
  for (const again of [await remove(id), await get(id), await patch(id, { title: "Other" })])
    expect(again.body).toEqual(missing);
  expect((await list()).body.data).toEqual([kept]);
  expect((await call("GET", "/api/v1/requests")).body.data).toEqual([kept]);
});

test("GET and DELETE of a request that does not exist, or of another organization, are 404", async () => {
  const { get, remove, put, account, call, second } = await requestWorld();
  const options = { key: second.key };
  const theirs = await account({ name: "Theirs" }, options);
  const { data } = (await put("theirs", { accountId: theirs.id, title: "SSO" }, options)).body;
  for (const operation of [get, remove])
    for (const id of [data.id, 0, 999]) expect((await operation(id)).body).toEqual(missing);
  expect((await call("GET", `/api/v1/requests/${data.id}`, undefined, options)).body.data).toEqual(data);
});
