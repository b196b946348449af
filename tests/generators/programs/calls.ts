import { deepEqual, equal } from "node:assert/strict";

type Failure = { code: string | undefined; pointers: (string | undefined)[] | undefined };

/** The calls of a generated client. A failure is a problem with its code, which the types of the client must have. */
export type Calls = {
  /** Creates an account, and returns its id. */
  create(account: {
    name: string;
    externalId: string;
    mrr: number;
    attributes: { plan: string };
  }): Promise<number>;
  /** Returns the names of all accounts. */
  list(): Promise<string[]>;
  /** Returns the names of the active and onboarding accounts with an MRR of at least 1,000 and the plan `pro`. */
  filter(): Promise<string[]>;
  /** Creates the accounts `Batch` and ``, and returns the statuses of the results and the code of the problem. */
  batch(): Promise<[status: number, code: unknown][]>;
  /** Sends an event of the account, and returns the number of accepted events. */
  events(event: { externalId: string; event: string; messageId: string }): Promise<number>;
  /** Returns the JSON lines of all accounts as a text. Without it: the client parses them as one JSON. */
  lines?(): Promise<string>;
  /** Creates an account with an `externalId` in use, and returns the code and the pointers of the problem, which is typed. */
  problem(account: { name: string; externalId: string }): Promise<Failure>;
};

export const server = process.env.SERVER ?? "";
export const key = process.env.KEY ?? "";
export const authorized = { "x-api-key": key };

/** Throws unless every call of the client does what its contract says. Needs an empty organization. */
export async function checkCalls(calls: Calls): Promise<void> {
  const acme = { name: "Acme", externalId: "acme", mrr: 1250.5, attributes: { plan: "pro" } };
  equal(typeof (await calls.create(acme)), "number");
  await calls.create({ ...acme, name: "Bolt", externalId: "bolt", mrr: 10 });
  await calls.create({ ...acme, name: "Core", externalId: "core", attributes: { plan: "team" } });
  deepEqual(await calls.list(), ["Acme", "Bolt", "Core"]);
  deepEqual(await calls.filter(), ["Acme"]);
  deepEqual(await calls.batch(), [
    [201, undefined],
    [400, "invalid_request"],
  ]);
  equal(await calls.events({ externalId: "acme", event: "report.exported", messageId: "m1" }), 1);
  if (calls.lines) equal((await calls.lines()).trim().split("\n").length, 4);
  deepEqual(await calls.problem(acme), { code: "external_id_conflict", pointers: ["/externalId"] });
  console.log(`Called ${Object.keys(calls).join(", ")}`);
}

/** The filter by an attribute, as the document describes it. */
export const plan = { plan: "pro" };

/** The operations of `batch`. */
export const operations = ["Batch", ""].map((name) => ({
  method: "POST" as const,
  path: "/api/v1/accounts",
  body: { name },
}));

/** The query as the document describes it: a list separated by commas, the members of an object in brackets. */
export function queryString(query: Record<string, unknown>): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([member, text]) => [`${name}[${member}]`, text])
      : [[name, value]],
  );
  return String(new URLSearchParams(parameters.map(([name, value]) => [String(name), String(value)])));
}
