import { type Body, world } from "../support/world.ts";

export const accounts = "/api/v1/accounts";
export type BatchOperationBody = { method: string; path: string; body?: unknown };

/** The world, with a function that sends a batch and returns the reply. */
export async function batchWorld() {
  const here = await world();
  const batch = (mode: unknown, operations: unknown, options: Parameters<typeof here.call>[3] = {}) =>
    here.call("POST", "/api/v1/batch", { mode, operations }, options);
  /** The rows that a batch can change, and what follows from them. */
  const stored = async () =>
    Promise.all(
      ["accounts", "contacts", "meetings", "requests", "changes", "account_counts"].map(async (table) =>
        JSON.stringify(await here.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)),
      ),
    );
  return { ...here, batch, stored };
}

export const post = (body: Body): BatchOperationBody => ({ method: "POST", path: accounts, body });
export const put = (externalId: string, body: Body): BatchOperationBody => ({
  method: "PUT",
  path: `${accounts}/external/${externalId}`,
  body,
});
export const remove = (path: string): BatchOperationBody => ({ method: "DELETE", path });
