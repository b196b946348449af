import type { Change, Ledger, Values } from "./kill-ledger.ts";
import { connectTo, requestOf } from "./raw-connection.ts";

const statuses = ["active", "onboarding", "churned"] as const;
const dayStart = Date.UTC(2026, 0, 2);
const hour = 3_600_000;
/** The number of its latest rows that a writer changes, so that a choice stays fast. */
const remembered = 50;

/**
 * Sends changes of all kinds sequentially, on rows that no other writer changes, so that the expected rows are known.
 * Ends when its connection closes.
 */
export class Writer {
  readonly #name: string;
  readonly #ledger: Ledger;
  #made = 0;
  #accounts: string[] = [];
  #children: string[] = [];

  constructor(name: string, ledger: Ledger) {
    this.#name = name;
    this.#ledger = ledger;
  }

  /** Returns the rejected changes; there should be none. */
  async writeUntilCut(url: string, key: string): Promise<string[]> {
    this.#remember();
    const connection = await connectTo(url);
    for (;;) {
      const change = this.#next();
      this.#ledger.begin(change);
      const answer = await connection.send(requestOf(key, change.method, change.path, change.body));
      if ("cut" in answer) return [];
      if (![200, 201, 204].includes(answer.status)) {
        connection.close();
        return [`${change.method} ${change.path} was answered ${answer.status} ${answer.text}`];
      }
      this.#ledger.acknowledge(change, idIn(answer.text));
      for (const [row, values] of change.rows) this.#note(row, values);
    }
  }

  /** Reads its rows after a restart. */
  #remember(): void {
    const own = this.#ledger.keys().filter((key) => key.split(" ")[1]?.startsWith(`${this.#name}-`));
    this.#accounts = own.filter((key) => key.startsWith("account ")).slice(-remembered);
    this.#children = own.filter((key) => !key.startsWith("account ")).slice(-remembered);
  }

  #note(row: string, values: Values | null): void {
    const list = row.startsWith("account ") ? this.#accounts : this.#children;
    if (values === null) list.splice(list.indexOf(row), 1);
    else if (!list.includes(row)) list.push(row);
    if (list.length > remembered) list.shift();
  }

  #next(): Change {
    this.#made += 1;
    const name = `${this.#name}-${this.#made}`;
    const account = anyOf(this.#accounts);
    const accountId = account === undefined ? undefined : this.#ledger.idOf(account);
    const child = anyOf(this.#children);
    const choice = Math.random();
    if (account === undefined || accountId === undefined || choice < 0.35) return this.#create(name);
    if (choice < 0.55) return this.#update(account, accountId, name);
    if (child === undefined || choice < 0.85) return this.#addTo(account, accountId, name);
    const childId = this.#ledger.idOf(child);
    if (childId === undefined) return this.#create(name);
    return choice < 0.93 ? this.#changeChild(child, childId, name) : removal(child, childId);
  }

  #create(name: string): Change {
    const status = statuses[this.#made % 3] ?? "active";
    const [contactName, contactEmail] = [`Contact ${name}`, `${name}@example.com`];
    const account = { name: `Account ${name}`, externalId: name, mrr: this.#made, status };
    return {
      method: "POST",
      path: "/api/v1/accounts",
      body: { ...account, contactName, contactEmail },
      rows: new Map([
        [`account ${name}`, [account.name, account.mrr, status]],
        [`contact ${contactEmail}`, [name, contactName, contactEmail]],
      ]),
    };
  }

  #update(account: string, id: number, by: string): Change {
    const status = statuses[this.#made % 3] ?? "active";
    const body = { name: `Account by ${by}`, mrr: this.#made + 0.5, status };
    const rows = new Map([[account, [body.name, body.mrr, status]]]);
    return { method: "PATCH", path: `/api/v1/accounts/${id}`, body, rows };
  }

  /** A contact, a meeting or a request, by its own path or by the list of its account. */
  #addTo(account: string, accountId: number, name: string): Change {
    const owner = account.split(" ")[1] ?? "";
    const list = `/api/v1/accounts/${accountId}`;
    const title = `Title ${name}`;
    if (this.#made % 3 === 0) {
      const body = { accountExternalId: owner, name: `Contact ${name}`, email: null };
      const rows = new Map([[`contact ${name}`, [owner, body.name, null]]]);
      return { method: "PUT", path: `/api/v1/contacts/external/${name}`, body, rows };
    }
    if (this.#made % 3 === 1) {
      const [startAt, endAt] = [dayStart + this.#made, dayStart + this.#made + hour];
      const times = { startAt: new Date(startAt).toISOString(), endAt: new Date(endAt).toISOString() };
      const rows = new Map([[`meeting ${name}`, [owner, title, startAt, endAt]]]);
      return { method: "POST", path: `${list}/meetings`, body: { externalId: name, title, ...times }, rows };
    }
    const body = { externalId: name, title, status: "Open", severity: 1 + (this.#made % 5) };
    const rows = new Map([[`request ${name}`, [owner, title, body.status, body.severity]]]);
    return { method: "POST", path: `${list}/requests`, body, rows };
  }

  #changeChild(child: string, id: number, by: string): Change {
    const [owner = null, , ...others] = this.#ledger.valuesOf(child) ?? [];
    const [kind] = child.split(" ");
    const text = `Changed by ${by}`;
    const isDone = kind === "request";
    const body = kind === "contact" ? { name: text } : { title: text, ...(isDone && { status: "Done" }) };
    const after: Values = isDone ? [owner, text, "Done", ...others.slice(1)] : [owner, text, ...others];
    return { method: "PATCH", path: pathOf(child, id), body, rows: new Map([[child, after]]) };
  }
}

function removal(child: string, id: number): Change {
  return { method: "DELETE", path: pathOf(child, id), rows: new Map([[child, null]]) };
}

function pathOf(child: string, id: number): string {
  return `/api/v1/${child.split(" ")[0]}s/${id}`;
}

function idIn(text: string): number | undefined {
  if (text === "") return undefined;
  const { data } = JSON.parse(text) as { data: { id: number } };
  return data.id;
}

function anyOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}
