import { sendRequest } from "../binary/service.ts";
import { Random } from "../support/random.ts";
import type { Reply } from "../support/world.ts";

/**
 * An acknowledged row and its minimum version. The version of an account is the number of its changes; a request of
 * version 2 is deleted.
 */
export type Fact = {
  kind: "organization" | "key" | "account" | "request" | "events";
  id: string;
  version: number;
};
/** By the id of the acknowledged request. */
export type Facts = Map<string, Fact>;

export const contactOf = (account: string) => `Contact of ${account}`;
export const nameOf = (account: string, version: number) => `${account} version ${version}`;
/** The statuses of the versions of an account, in rotation. */
export const statuses = ["active", "churned", "onboarding", "inactive"] as const;
export const sizeOfBatch = (batch: string) => 1 + (Number(/\d+$/.exec(batch)?.[0]) % 20);

const callers = 12;

/** Sends this number of changes, some concurrently, and records the replies. Throws for an unexpected reply. */
export async function load(
  { url, key, life }: { url: string; key: string; life: number },
  changes: number,
  facts: Facts,
): Promise<void> {
  let left = changes;
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));

  async function call(caller: number): Promise<void> {
    const random = new Random(life * callers + caller);
    const versions: number[] = [];
    for (let n = 0; left > 0; n += 1) {
      left -= 1;
      const id = `${life}-${caller}-${n}`;
      const which = random.below(versions.length);
      const account = `a${life}-${caller}-${which}`;
      const choice = versions.length === 0 ? 0 : random.next();
      if (choice < 0.35) {
        await create(`a${life}-${caller}-${versions.length}`);
        versions.push(0);
      } else if (choice < 0.6) {
        const version = (versions[which] ?? 0) + 1;
        versions[which] = version;
        await update(account, version);
      } else if (choice < 0.8) await sendEvents(account, `e${id}`);
      else await fileRequest(account, `r${id}`, random.next() < 0.5);
    }
  }

  async function create(id: string): Promise<void> {
    const contact = { contactName: contactOf(id), contactEmail: `${id}@example.com` };
    const body = { externalId: id, name: nameOf(id, 0), mrr: 0, status: statuses[0], ...contact };
    note(await sendRequest(url, key, "POST", "/api/v1/accounts", body), 201, {
      kind: "account",
      id,
      version: 0,
    });
  }

  async function update(id: string, version: number): Promise<void> {
    const status = statuses[version % statuses.length];
    const body = { name: nameOf(id, version), mrr: version, status };
    const reply = await sendRequest(url, key, "PUT", `/api/v1/accounts/external/${id}`, body);
    note(reply, 200, { kind: "account", id, version });
  }

  async function sendEvents(externalId: string, id: string): Promise<void> {
    const events = Array.from({ length: sizeOfBatch(id) }, (_, n) => ({
      event: "report.exported",
      externalId,
      messageId: `${id}:${n}`,
      userId: `user ${n}`,
      properties: { rows: "1".repeat(100) },
    }));
    const reply = await sendRequest(url, key, "POST", "/api/v1/events", { events });
    if (reply.body.data?.accepted !== events.length) throw new Error(`not accepted: ${reply.text}`);
    note(reply, 200, { kind: "events", id, version: 1 });
  }

  async function fileRequest(accountExternalId: string, id: string, isDeleted: boolean): Promise<void> {
    const path = `/api/v1/requests/external/${id}`;
    const body = { accountExternalId, title: `Request ${id}`, severity: 2 };
    const made = await sendRequest(url, key, "PUT", path, body);
    // Until its delete has a reply, the request may exist or not.
    if (!isDeleted) note(made, 201, { kind: "request", id, version: 1 });
    else note(await sendRequest(url, key, "DELETE", path), 204, { kind: "request", id, version: 2 });
  }

  function note({ status, headers, text }: Reply, expected: number, fact: Fact): void {
    const requestId = headers.get("x-request-id");
    if (status !== expected || requestId === null)
      throw new Error(`${fact.kind} ${fact.id}: ${status} ${text}`);
    facts.set(requestId, fact);
  }
}
