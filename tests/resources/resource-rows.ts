import { type Body, world } from "../support/world.ts";

/** A resource with a row: its paths, the body of a create and of a PUT, and an update that changes the row. */
type ResourceCase = { noun: string; path: string; external: string; list: string; body: Body; change: Body };

const startAt = "2026-01-01T00:00:00.000Z";

/** The resources with versions. Each has a row with the id 1 and the externalId `x`, of the account 1. */
export const resourceCases: readonly ResourceCase[] = [
  caseOf("account", "/api/v1/accounts", { name: "Acme" }, { name: "Globex" }),
  caseOf("contact", "/api/v1/accounts/1/contacts", { name: "Ada" }, { email: "ada@example.com" }),
  caseOf(
    "meeting",
    "/api/v1/accounts/1/meetings",
    { title: "Review", startAt, endAt: startAt },
    { title: "Kickoff" },
  ),
  caseOf("request", "/api/v1/accounts/1/requests", { title: "SSO" }, { status: "Done" }),
];

function caseOf(noun: string, list: string, body: Body, change: Body): ResourceCase {
  const path = `/api/v1/${noun}s/1`;
  return { noun, path, external: `/api/v1/${noun}s/external/x`, list, body, change };
}

/** A world with these rows. `tagOf` returns the entity tag of a GET. */
export async function resourceWorld() {
  const here = await world();
  for (const { list, body } of resourceCases) {
    const { status, text } = await here.call("POST", list, { ...body, externalId: "x" });
    if (status !== 201) throw new Error(`${list}: ${text}`);
  }
  const tagOf = async (path: string, headers = {}) =>
    (await here.call("GET", path, undefined, { headers })).headers.get("etag") ?? "";
  return { ...here, tagOf };
}

/** The version in an entity tag. Throws for another form of tag. */
export function versionIn(tag: string | null): number {
  const [, version] = /^"(\d+)\.[0-9a-z]{14,}"$/.exec(tag ?? "") ?? [];
  if (version === undefined) throw new Error(`no entity tag: ${tag}`);
  return Number(version);
}
