import { type Body, world } from "../support/world.ts";

export const accounts = "/api/v1/accounts";

/** The two resources with attributes: how to create, read and change a row. */
export const resources = [
  {
    resource: "accounts",
    noun: "account",
    rows: accounts,
    newRows: accounts,
    query: "?include=attributes",
  },
  {
    resource: "contacts",
    noun: "contact",
    rows: "/api/v1/contacts",
    newRows: `${accounts}/1/contacts`,
    query: "",
  },
] as const;
export type AttributedResource = (typeof resources)[number];

/** A world with account 1, `owner`, and functions for rows of a resource. The first row of accounts has id 2. */
export async function attributeWorld({ rows, newRows, query }: AttributedResource) {
  const here = await world();
  await here.account({ name: "Owner", externalId: "owner" });
  const { call } = here;
  const send = async (method: string, path: string, body?: Body, options = {}) => {
    const reply = await call(method, path, body, options);
    if (reply.status >= 300) throw new Error(`${method} ${path} failed: ${reply.text}`);
    return reply.body.data;
  };
  const texts = async (sql: string) =>
    // Safe: the statements return this column.
    ((await here.rows(sql)) as { line: string }[]).map(({ line }) => line);
  return {
    ...here,
    send,
    /** Creates a row with attributes; resolves with its id. */
    create: async (attributes: Body, members: Body = {}): Promise<number> =>
      (await send("POST", newRows, { name: "Row", ...members, attributes })).id,
    tryCreate: (attributes: unknown) => call("POST", newRows, { name: "Row", attributes }),
    patch: (id: number, attributes: unknown) => call("PATCH", `${rows}/${id}${query}`, { attributes }),
    attributesOf: async (id: number): Promise<Body> =>
      (await send("GET", `${rows}/${id}${query}`)).attributes,
    row: (id: number) => send("GET", `${rows}/${id}`),
    remove: (id: number) => send("DELETE", `${rows}/${id}`),
    /** The stored values and names, as texts. */
    stored: async () => ({
      values: await texts(
        "SELECT resource || ' ' || row_id || ' ' || name || ' ' || coalesce(text, cast(number as text)) AS line FROM attribute_values ORDER BY resource, row_id, name",
      ),
      names: await texts(
        "SELECT resource || ' ' || name || ' ' || type || ' ' || count AS line FROM attribute_names ORDER BY resource, name",
      ),
    }),
  };
}
