import type { AccountUpsert, UsageEvent } from "../src/client.ts";

/** The package as a test has built it. */
export type Package = typeof import("../src/client.ts");

export const accountCount = 2_300;
export const eventCount = 2_500;

/** Uses each function of the client on an empty organization. Returns what the server replied, as JSON. */
export async function runScenario({ createClient, ProblemError }: Package, server: string, key: string) {
  const client = createClient({ server, key });

  const results: Record<string, number> = {};
  for await (const { result } of client.upsertAccounts(accounts()))
    results[result] = (results[result] ?? 0) + 1;
  const receipt = await client.sendEvents(events());

  const ids = new Set<number>();
  const query = { sortBy: "createdAt" as const, include: ["attributes" as const] };
  for await (const { id, attributes } of client.list("/api/v1/accounts", { params: { query } }))
    if (attributes?.plan !== undefined) ids.add(id);

  const filter = { attributes: { plan: "pro", "seats.gte": "2290" } };
  const filtered: (string | null)[] = [];
  for await (const { externalId } of client.list("/api/v1/accounts", { params: { query: filter } }))
    filtered.push(externalId);
  const names = { "externalId.in": ["a,1", "a-2"] };
  const listed = await client.GET("/api/v1/accounts", { params: { query: names } });

  // A list of statuses is one parameter.
  const statuses = { status: ["churned" as const, "active" as const], pageSize: 1 };
  const active = await client.GET("/api/v1/accounts", { params: { query: statuses } });

  const changes: number[] = [];
  for await (const page of client.changes({ resource: "account", action: "created" }))
    changes.push(page.changes.length);

  return {
    results,
    accepted: receipt.accepted,
    rejected: receipt.items,
    listed: ids.size,
    filtered,
    named: listed.data.data.map(({ name }) => name),
    active: "total" in active.data.pagination && active.data.pagination.total,
    changes,
    ...(await loseReply(createClient, server, key)),
    ...(await edit(client, ProblemError)),
    ...(await useResources(client)),
  };
}

/** With two contacts each, so that 5,000 rows are fewer than the accounts. One id has a comma. */
function* accounts(): Generator<AccountUpsert> {
  for (let i = 0; i < accountCount; i += 1) {
    const contacts = ["ada", "bob"].map((name) => ({ name, email: `${name}@a${i}.example.com` }));
    const externalId = i === 1 ? "a,1" : `a-${i}`;
    yield {
      externalId,
      name: `Company ${i}`,
      contacts,
      attributes: { plan: i % 2 ? "pro" : "free", seats: i },
    };
  }
}

/** The last one is invalid. */
function* events(): Generator<UsageEvent> {
  for (let i = 0; i < eventCount - 1; i += 1)
    yield { event: "report.exported", externalId: `a-${2 + (i % 100)}`, messageId: `m-${i}` };
  yield { event: "", externalId: "a-2" };
}

/** A create whose first reply is lost after the server has stored the account. */
async function loseReply(createClient: Package["createClient"], server: string, key: string) {
  let sentCount = 0;
  const client = createClient({
    server,
    key,
    async fetch(request) {
      sentCount += 1;
      const response = await fetch(request);
      if (sentCount === 1) throw new TypeError("the connection was lost");
      return response;
    },
  });
  const { data, response } = await client.POST("/api/v1/accounts", { body: { name: "Lost reply" } });
  const replayed = response.headers.get("idempotent-replayed");
  const { data: found } = await client.GET("/api/v1/accounts", {
    params: { query: { search: "Lost reply" } },
  });
  const [only] = found.data;
  return {
    sentCount: sentCount - 1,
    replayed,
    created: found.data.length,
    isSame: only?.id === data.data.id,
  };
}

/** An edit with the tag of the row, the same edit again, and an invalid one. */
async function edit(
  { GET, PATCH }: ReturnType<Package["createClient"]>,
  ProblemError: Package["ProblemError"],
) {
  const path = { externalId: "a-2" };
  const { response } = await GET("/api/v1/accounts/external/{externalId}", { params: { path } });
  const header = { "If-Match": response.headers.get("etag") ?? "" };
  const patch = (mrr: number) =>
    PATCH("/api/v1/accounts/external/{externalId}", { params: { path, header }, body: { mrr } });
  const { data } = await patch(10);
  const failures: unknown[] = [];
  for (const mrr of [20, "20" as never])
    await patch(mrr).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      failures.push([error.status, error.code, error.errors.map(({ pointer }) => pointer)]);
    });
  return { mrr: data.data.mrr, failures };
}

/** Functions of single operations. */
async function useResources({ accounts, contacts, changes, me }: ReturnType<Package["createClient"]>) {
  const acme = accounts.byExternalId("acme/1");
  const { id } = await accounts.create({ name: "Acme", externalId: "acme/1" });
  const ada = await acme.contacts.create({ name: "Ada", userId: "u-1" });
  await accounts.byId(id).meetings.create({
    ...{ title: "Review", startAt: "2026-01-02T10:00:00Z", endAt: "2026-01-02T11:00:00Z" },
  });
  const names: string[] = [];
  for await (const { name } of contacts.list({ accountId: id })) names.push(name);
  await contacts.byUserId("u-1").get();
  await contacts.delete(ada.id);
  let exported = "";
  const csv = await accounts.exportCsv({ search: "acme/1" });
  const decoder = new TextDecoder();
  const reader = csv.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    exported += decoder.decode(part.value, { stream: true });

  const followed: string[] = [];
  const stop = new AbortController();
  const deletions = { resource: "contact", action: "deleted" } as const;
  for await (const page of changes.follow({ ...deletions, signal: stop.signal })) {
    followed.push(...page.changes.map(({ type }) => type));
    stop.abort();
  }
  const streamed: string[] = [];
  const end = new AbortController();
  for await (const change of changes.stream({ after: 0, ...deletions, signal: end.signal })) {
    // The second change is made while the stream is open.
    if (streamed.push(change.type) === 2) end.abort();
    else await contacts.delete((await acme.contacts.create({ name: "Bob" })).id);
  }
  return {
    names,
    streamed,
    factors: (await acme.health()).factors.length,
    exported: exported.split("\n").length,
    organization: (await me()).organization.name,
    followed,
    total: (await accounts.page({ externalId: "acme/1" })).data.length,
    deleted: await acme.delete(),
  };
}

/** What `runScenario` returns. */
export const expected = {
  results: { created: accountCount },
  accepted: eventCount - 1,
  rejected: [{ index: eventCount - 1, code: "too_short" as const, detail: "event must not be empty" }],
  listed: accountCount,
  filtered: ["a-2291", "a-2293", "a-2295", "a-2297", "a-2299"],
  named: ["Company 1", "Company 2"],
  active: accountCount,
  changes: [1_000, 1_000, 300],
  sentCount: 2,
  replayed: "true",
  created: 1,
  isSame: true,
  mrr: 10,
  failures: [
    [412, "precondition_failed", []],
    [400, "invalid_request", ["/mrr"]],
  ],
  names: ["Ada"],
  streamed: ["contact.deleted", "contact.deleted"],
  factors: 2,
  exported: 3,
  organization: "First",
  followed: ["contact.deleted"],
  total: 1,
  deleted: undefined,
};
