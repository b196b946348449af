import { expect, setDefaultTimeout, test } from "bun:test";
import { run } from "../binary/binary.ts";
import { main } from "../support/bash.ts";
import { createOrganizationWithKey } from "../support/template.ts";
import { connection, emptyDatabase } from "./database.ts";
import { copyOn } from "./service-copy.ts";

setDefaultTimeout(60_000);

const program = [process.execPath, main];

test("two check --repair at once repair counts, sums, texts and scores next to servers while they write", async () => {
  const url = await emptyDatabase();
  const copies = [await copyOn(url), await copyOn(url)] as const;
  const { id, key } = await createOrganizationWithKey(copies[0].engine, "Acme");
  await copies[0].send(key, "POST", "/accounts", { name: "Gone", externalId: "g", status: "churned" });
  await copies[0].send(key, "POST", "/events", { event: "login", externalId: "g", userId: "first" });
  await connection(url).unsafe(`update account_counts set count = count + 3 where status = 'churned';
    update usage_days set count = count + 4; update usage_sums set users = users - 1;
    update accounts set folded_name = 'x', rank = 7 where id = 1`);
  let isDone = false;
  const write = async ({ send }: (typeof copies)[number], writer: number) => {
    for (let count = 1; ; count += 1) {
      const name = `New ${writer} ${count}`;
      const created = await send(key, "POST", "/accounts", { name, status: "churned" });
      const userId = `${writer} ${count % 7}`;
      const received = await send(key, "POST", "/events", { event: "login", externalId: "g", userId });
      expect([created.status, received.status]).toEqual([201, 200]);
      if (isDone) return count;
    }
  };
  const writers = [...copies, ...copies].map(write);
  const check = async (...words: string[]) => {
    const { stdout } = await run(["check", "--json", ...words, "--database", url], { program });
    return JSON.parse(stdout);
  };
  const results = await Promise.all([check("--repair"), check("--repair")]);
  isDone = true;
  const total = (await Promise.all(writers)).reduce((sum, count) => sum + count, 1);
  expect(results.map(({ status }) => status)).toEqual(["ok", "ok"]);
  const today = "[-\\d]{10}";
  expect(results.flatMap(({ repaired }) => repaired).sort()).toEqual(
    [
      `organization ${id}, ${today}: usage_sums has \\d+ users, the table usage_sum_users \\d+`,
      `organization ${id}, account 1, ${today}: usage_days has \\d+ events, the table events \\d+`,
      `organization ${id}, account 1: the folded copy of name is wrong`,
      `organization ${id}, account 1: the stored score is not the score of its facts`,
      `organization ${id}: account_counts has \\d+ accounts of status churned and tier none, the table accounts \\d+`,
    ].map((line) => expect.stringMatching(new RegExp(`^${line}$`))),
  );
  expect(await check()).toEqual({ database: expect.any(String), status: "ok" });
  const { body } = await copies[1].send(key, "GET", "/accounts?status=churned&pageSize=1");
  expect(body.pagination.total).toBe(total);
});
