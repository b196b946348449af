import { expect, test } from "bun:test";
import { changeWorld, path } from "./change-world.ts";

test.each(['{"name":', "", "null", "7", '"text"', '{"name":"Acme"'])(
  "a change whose stored JSON is damaged, %j, is 503 with one log line; other requests succeed",
  async (damaged) => {
    const { account, call, execute, lines, send } = await changeWorld();
    const { id } = await account({ name: "Acme" });
    await send("PATCH", `/api/v1/accounts/${id}`, { mrr: 1 });
    await execute(`UPDATE changes SET after = '${damaged}' WHERE sequence = 1`);
    for (const target of [path, `/api/v1/accounts/${id}/history`]) {
      const { status, headers, body } = await call("GET", target);
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "store_failed", "30"]);
      expect(lines.splice(0)).toMatchObject([{ event: "request_failed", fields: { code: "store_failed" } }]);
    }
    expect((await call("GET", `${path}?after=1`)).body.data).toMatchObject([{ sequence: 2 }]);
    await send("PATCH", `/api/v1/accounts/${id}`, { mrr: 2 });
    expect(lines).toEqual([]);
  },
);
