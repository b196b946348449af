import { expect, test } from "bun:test";
import { type Client, createClient, ProblemError } from "../src/client.ts";
import { startServer, stopServers } from "./server.ts";

/** Never called: the compiler checks it, as part of `bun run test`. */
export async function compiles(client: Client) {
  await client.accounts.create({ name: "x", mrr: 5, attributes: { anything: "a text" } });
  // @ts-expect-error: no operation has the member.
  await client.accounts.create({ name: "x", mmr: 5 });
  // @ts-expect-error: the same in a list.
  await client.accounts.batch({ accounts: [{ externalId: "x", contacts: [{ name: "Ada", mail: "" }] }] });
  // @ts-expect-error: a name is required.
  await client.accounts.create({ mrr: 5 });
  // @ts-expect-error: a score is no member that callers set.
  await client.accounts.byExternalId("x").update({ healthScore: 5 });
  await client.accounts.page({ sortBy: "attributes.renewalDate", "mrr.gte": 5 });
  // @ts-expect-error: no list has the order.
  await client.accounts.page({ sortBy: "mmr" });
  // @ts-expect-error: no list has the filter.
  await client.accounts.page({ teir: ["at_risk"] });
  // @ts-expect-error: a list of rows has its own pages.
  client.accounts.list({ page: 2 });
  const { name, mrr } = await client.accounts.get(42);
  const health = await client.accounts.byExternalId("crm-5").health({ asOf: "2026-01-02" });
  const score: number | null = health.score;
  for await (const account of client.accounts.list({ tier: ["at_risk"] })) {
    const id: number = account.id;
    // @ts-expect-error: no account has the member.
    account.nmae;
    return [name.length + mrr + (score ?? 0) + id];
  }
  const none: undefined = await client.accounts.delete(42);
  return none;
}

test("a member that the compiler would reject is 400 at run time", async () => {
  const { server, key } = await startServer();
  try {
    const client = createClient({ server, key });
    const typo = { name: "x", mmr: 5 } as { name: string };
    const error = await client.accounts.create(typo).catch((error: unknown) => error);
    if (!(error instanceof ProblemError)) throw error;
    expect([error.status, error.code]).toEqual([400, "unknown_member"]);
    expect(error.detail).toContain("`mrr`");
    expect((await client.accounts.page()).pagination).toMatchObject({ total: 0 });
  } finally {
    await stopServers();
  }
});
