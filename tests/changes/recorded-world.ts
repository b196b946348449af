import { beginningText } from "../support/world.ts";
import { changeWorld, hour, type Recorded } from "./change-world.ts";

/** A request, the changes that it records, and the path of the changed row; undefined after a delete. */
export type Case = { send: [method: string, path: string, body?: object]; records: Recorded[]; at?: string };

const nextHour = new Date(Date.parse(beginningText) + hour).toISOString();
/** The timestamps of an existing row, of a row that the request creates, and before and after an update. */
export const created = { createdAt: beginningText, updatedAt: beginningText };
export const createdNow = { createdAt: nextHour, updatedAt: nextHour };
export const updated = { before: { updatedAt: beginningText }, after: { updatedAt: nextHour } };
export const times = { startAt: "2026-01-01T10:00:00.000Z", endAt: "2026-01-01T11:00:00.000Z" };

/** The data before each request, with five changes, made an hour ago: account 1 has one row of each sub-resource. */
export async function recordedWorld() {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme", externalId: "acme" });
  await here.send("POST", "/api/v1/accounts", { name: "Globex" });
  const below = "/api/v1/accounts/1";
  await here.send("POST", `${below}/contacts`, { name: "Ada", email: "ada@x.io", externalId: "x" });
  await here.send("POST", `${below}/meetings`, { title: "Kickoff", externalId: "x", ...times });
  await here.send("POST", `${below}/requests`, { title: "SSO", externalId: "x" });
  here.pass(hour);
  return here;
}
