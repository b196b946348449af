import { desc, eq } from "drizzle-orm";
import { accounts, requests } from "../../db/schema.ts";
import { inputs } from "../../db/statements.ts";
import { insert, jsonRows, type OwnRows } from "../tenant.ts";

/** An account's 100 latest requests, latest first, as JSON text. */
export const embeddedRequests = jsonRows({
  fields: {
    id: requests.id,
    title: requests.title,
    status: requests.status,
    severity: requests.severity,
    requestedAt: requests.requestedAt,
  },
  from: requests,
  where: eq(requests.accountId, accounts.id),
  orderBy: [desc(requests.requestedAt), desc(requests.id)],
  limit: 100,
});

const insertRequest = insert({
  into: requests,
  values: inputs("accountId", "title", "status", "severity", "requestedAt", "createdAt"),
  returning: { id: requests.id },
});

export type NewRequest = Omit<typeof requests.$inferSelect, "id" | "organizationId">;

/** Adds a request to an account of the organization, within the caller's transaction. */
export async function addRequest(rows: OwnRows, request: NewRequest): Promise<void> {
  await rows.first(insertRequest, request);
}
