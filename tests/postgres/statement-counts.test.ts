import { expect, test } from "bun:test";
import { createOrganizationWithKey } from "../support/template.ts";
import { emptyDatabase } from "./database.ts";
import { startCounter } from "./round-trips.ts";
import { copyOn } from "./service-copy.ts";

/** The rounds from the third on are counted. */
const roundCount = 8;
const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, i) => first + i);

/** A copy of the service, and a function that returns the statements and round trips of a request. */
async function countingCopy() {
  const counter = await startCounter(await emptyDatabase());
  const { engine, send: sendAs } = await copyOn(counter.url);
  const { key } = await createOrganizationWithKey(engine, "Acme");
  const send = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const reply = await sendAs(key, method, path, body, headers);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const count = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const before = [counter.statements(), counter.roundTrips()] as const;
    const reply = await send(method, path, body, headers);
    return {
      reply,
      statements: counter.statements() - before[0],
      roundTrips: counter.roundTrips() - before[1],
    };
  };
  await send("POST", "/accounts/batch", {
    accounts: numbers(100).map((i) => ({ externalId: `e${i}`, name: `Account ${i}` })),
  });
  return { send, count };
}

type Copy = Awaited<ReturnType<typeof countingCopy>>;
type Case = {
  request: string;
  statements: number;
  roundTrips: number;
  /** Runs before, and makes its request once: its statements are prepared then. */
  prepare?: (copy: Copy) => Promise<unknown>;
  run: (copy: Copy, round: number) => ReturnType<Copy["count"]>;
};

const accountsOf = (prefix: string, more: (i: number) => object) => ({
  accounts: numbers(100).map((i) => ({ externalId: `${prefix}${i}`, name: `Account ${i}`, ...more(i) })),
});
const events = (prefix: string, round: number) => ({
  events: numbers(100).map((i) => ({
    ...{ event: "report.exported", externalId: `${prefix}${i}`, messageId: `${prefix} ${round} ${i}` },
    ...{ userId: `user ${i}` },
  })),
});
const contact = (mrr: number) => (i: number) => ({
  ...{ mrr, contacts: [{ email: `person${i}@x.io`, name: `Person ${mrr}` }] },
});
const status = (round: number) => () => ({ status: round % 2 ? "churned" : "active" });
const attributes = (plan: string | null) => () => ({ attributes: { plan, seats: plan && 5 } });

const keyedBatch = {
  mode: "partial",
  operations: numbers(100).map((i) => ({
    ...{ method: "POST", path: "/api/v1/accounts", body: { name: `Keyed ${i}` } },
  })),
};
const keyHeader = { "idempotency-key": "a-batch" };

type BatchOperation = { method: string; path: string; body?: object };
const batchOf = (operation: (i: number) => BatchOperation) => ({
  mode: "atomic",
  operations: numbers(100).map((i) => {
    const { path, ...rest } = operation(i);
    return { ...rest, path: `/api/v1${path}` };
  }),
});
/** Batches of operations on rows that exist, of accounts with the ids 1 to 100 and their contacts `k0` to `k99`. */
const batchesOfRows: Case[] = (
  [
    [
      "updates of contacts",
      8,
      5,
      (i, round) => ({ method: "PATCH", path: `/contacts/${i + 1}`, body: { name: `${round}` } }),
    ],
    [
      "puts of contacts",
      9,
      6,
      (i, round) => ({
        ...{ method: "PUT", path: `/contacts/external/k${i}` },
        body: { name: `${round}`, accountExternalId: `e${i}` },
      }),
    ],
    [
      "new meetings",
      11,
      7,
      (i, round) => ({
        ...{ method: "POST", path: `/accounts/${i + 1}/meetings` },
        body: { title: `${round}`, startAt: "2026-01-01", endAt: "2026-01-01" },
      }),
    ],
    [
      "deletes of contacts",
      8,
      5,
      (i, round) => ({ method: "DELETE", path: `/contacts/external/d${round} ${i}` }),
    ],
  ] as [string, number, number, (i: number, round: number) => BatchOperation][]
).map(([request, statements, roundTrips, operation]) => ({
  request: `batch of 100 ${request}`,
  statements,
  roundTrips,
  prepare: async ({ send }) => {
    const contacts = (i: number) => [`k${i}`, ...numbers(roundCount).map((round) => `d${round} ${i}`)];
    const accounts = numbers(100).map((i) => ({
      externalId: `e${i}`,
      contacts: contacts(i).map((externalId) => ({ externalId, name: "Ada" })),
    }));
    await send("POST", "/accounts/batch", { accounts });
  },
  run: ({ count }, round) =>
    count(
      "POST",
      "/batch",
      batchOf((i) => operation(i, round)),
    ),
}));

/** A pause of a long transaction may send the rows that wait. Of a create and an update, the key is one round trip. */
const cases: Case[] = [
  {
    request: "search, 25 rows",
    statements: 2,
    roundTrips: 2,
    run: ({ count }) => count("GET", "/accounts?search=account"),
  },
  {
    request: "100 events of 100 accounts that have events of today",
    statements: 12,
    roundTrips: 7,
    prepare: ({ send }) => send("POST", "/events", events("e", -1)),
    run: ({ count }, round) => count("POST", "/events", events("e", round)),
  },
  {
    request: "100 events sent again",
    statements: 10,
    roundTrips: 7,
    prepare: ({ send }) => send("POST", "/events", events("e", 0)),
    run: ({ count }) => count("POST", "/events", events("e", 0)),
  },
  {
    request: "100 pending events",
    statements: 10,
    roundTrips: 6,
    run: ({ count }, round) => count("POST", "/events", events("none", round)),
  },
  {
    request: "batch of 100 creates",
    statements: 9,
    roundTrips: 5,
    run: ({ count }, round) =>
      count("POST", "/batch", {
        mode: "partial",
        operations: numbers(100).map((i) => ({
          ...{ method: "POST", path: "/api/v1/accounts" },
          body: { name: "New", externalId: `new ${round} ${i}` },
        })),
      }),
  },
  {
    request: "replay of the stored reply to a batch of 100 creates",
    statements: 6,
    roundTrips: 4,
    prepare: ({ count }) => count("POST", "/batch", keyedBatch, keyHeader),
    run: ({ count }) => count("POST", "/batch", keyedBatch, keyHeader),
  },
  ...batchesOfRows,
  {
    request: "batch of 100 deletes of accounts without other rows",
    statements: 910,
    roundTrips: 600,
    prepare: ({ send }) =>
      Promise.all(
        numbers(roundCount).map((round) =>
          send(
            "POST",
            "/accounts/batch",
            accountsOf(`d${round} `, () => ({})),
          ),
        ),
      ),
    run: ({ count }, round) =>
      count(
        "POST",
        "/batch",
        batchOf((i) => ({ method: "DELETE", path: `/accounts/external/d${round} ${i}` })),
      ),
  },
  {
    request: "upsert of 100 new accounts with contacts",
    statements: 13,
    roundTrips: 7,
    run: ({ count }, round) => count("POST", "/accounts/batch", accountsOf(`n ${round} `, contact(1))),
  },
  {
    request: "upsert of 100 changed accounts with contacts",
    statements: 12,
    roundTrips: 6,
    prepare: ({ send }) => send("POST", "/accounts/batch", accountsOf("c", contact(-1))),
    run: ({ count }, round) => count("POST", "/accounts/batch", accountsOf("c", contact(round))),
  },
  {
    request: "upsert of 100 accounts with a changed status",
    statements: 12,
    roundTrips: 6,
    prepare: ({ send }) => send("POST", "/accounts/batch", accountsOf("s", status(0))),
    run: ({ count }, round) => count("POST", "/accounts/batch", accountsOf("s", status(round))),
  },
  {
    request: "upsert of 100 accounts that lose an attribute",
    statements: 13,
    roundTrips: 6,
    run: async ({ send, count }) => {
      await send("POST", "/accounts/batch", accountsOf("a", attributes("pro")));
      return count("POST", "/accounts/batch", accountsOf("a", attributes(null)));
    },
  },
  {
    request: "upsert of 100 unchanged accounts with contacts",
    statements: 8,
    roundTrips: 5,
    prepare: ({ send }) => send("POST", "/accounts/batch", accountsOf("u", contact(1))),
    run: ({ count }) => count("POST", "/accounts/batch", accountsOf("u", contact(1))),
  },
  {
    request: "create",
    statements: 9,
    roundTrips: 3,
    run: ({ count }, round) => count("POST", "/accounts", { name: "One", externalId: `one ${round}` }),
  },
  {
    request: "update",
    statements: 8,
    roundTrips: 3,
    run: ({ count }, round) => count("PATCH", "/accounts/1", { mrr: round }),
  },
  { request: "get", statements: 2, roundTrips: 2, run: ({ count }) => count("GET", "/accounts/1") },
  { request: "list with total", statements: 2, roundTrips: 2, run: ({ count }) => count("GET", "/accounts") },
];

test.each(cases.map((each) => [each.request, each] as const))(
  "%s: statements and round trips do not grow",
  async (_, { prepare, run, statements, roundTrips }) => {
    const copy = await countingCopy();
    await prepare?.(copy);
    await run(copy, 1);
    await run(copy, 2);
    // A job or a pause may add to one of them.
    const counted: Awaited<ReturnType<typeof run>>[] = [];
    for (let round = 3; round < roundCount; round += 1) counted.push(await run(copy, round));
    expect(Math.min(...counted.map((count) => count.statements))).toBeLessThanOrEqual(statements);
    expect(Math.min(...counted.map((count) => count.roundTrips))).toBeLessThanOrEqual(roundTrips);
  },
);
