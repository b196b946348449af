import { nouns } from "./model-log.ts";
import { type Body, iso, type Kind } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { Model } from "./model-state.ts";

/** Greater than all ids of a database. */
const unusedIds = 1_000_000_000;

/** The ids of rows, to which requests refer by their positions. */
export class References {
  readonly #areIdsConsecutive: boolean;
  /** The ids of rows by request and kind. */
  readonly created = new Map<string, number[]>();
  /** The last ids before the current pair of organizations. */
  lastIds = new Model().lastIds;
  /** The ids of the rows of the current pair, in ascending order. Empty if ids are consecutive. */
  #ids: Record<Kind, number[]> = { accounts: [], contacts: [], meetings: [], requests: [] };

  constructor({ areIdsConsecutive }: { areIdsConsecutive: boolean }) {
    this.#areIdsConsecutive = areIdsConsecutive;
  }

  /** Begins with the rows of the next pair. */
  clear(): void {
    this.#ids = { accounts: [], contacts: [], meetings: [], requests: [] };
  }

  addRows(requestId: string, rows: readonly [resource: string, id: number][]): void {
    for (const kind of Object.keys(nouns) as Kind[])
      for (const [resource, id] of rows) {
        if (nouns[kind] !== resource) continue;
        this.#add(`${requestId} ${kind}`, id);
        this.#ids[kind] = [...this.#ids[kind], id].sort((a, b) => a - b);
      }
  }

  /** The request with the ids of rows at its positions, and timestamps relative to `now`. */
  resolve(asked: Asked, now: number, isOperation = false): Asked {
    const { op, org, kind, id, body, query, operations, ...others } = asked;
    const isOfAccount = op === "create" || op === "list";
    const idAt = (kind: Kind, position: number) => this.#idAt(kind, position, isOperation);
    const written = JSON.stringify(body)
      .replace(/"now([+-]\d+)"/g, (_, offset) => `"${iso(now + Number(offset))}"`)
      .replace(/"accountId":(\d+)/g, (_, own) => `"accountId":${idAt("accounts", Number(own))}`);
    const accountId = query.accountId && String(idAt("accounts", Number(query.accountId)));
    return {
      ...{ ...others, op, org, kind },
      body: JSON.parse(written) as Body,
      query: { ...query, ...(accountId && { accountId }) },
      ...(id !== undefined && { id: idAt(isOfAccount ? "accounts" : kind, id) }),
      ...(operations && { operations: operations.map((one) => this.resolve(one, now, true)) }),
    };
  }

  #add(name: string, id: number): void {
    this.created.set(name, [...(this.created.get(name) ?? []), id]);
  }

  /**
   * The id of the row at a position, or probably of the next ones; at 0, of the last row before the pair. An operation
   * of a batch uses no probable id: nobody learns the ids of the rows of a batch that fails.
   */
  #idAt(kind: Kind, position: number, isOperation: boolean): number {
    const ids = this.#ids[kind];
    const last = this.lastIds[kind];
    if (position === 0) return last;
    const next = isOperation && !this.#areIdsConsecutive ? unusedIds : 0;
    return ids[position - 1] ?? (ids.at(-1) ?? last) + position - ids.length + next;
  }
}
