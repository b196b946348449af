/** A row of a file, or why it is rejected before it is sent. */
export type FileLine = { line: number } & ({ row: Readonly<Record<string, unknown>> } | { fault: string });
/** What became of a row. */
export type RowResult =
  | { result: "created" | "updated" | "unchanged" }
  | { result: "rejected"; reason: string };

/** A result of the routes that create and update rows. */
export type UpsertReply = {
  result: "created" | "updated" | "unchanged" | "failed";
  problem?: Readonly<Record<string, unknown>> | undefined;
};

/** What became of a row by the reply of the server. */
export function readRowResult({ result, problem }: UpsertReply): RowResult {
  return result === "failed" ? { result: "rejected", reason: reasonOf(problem) } : { result };
}

/** Why the server rejects a row, in a line: the fields that are wrong, and what they must be. Never a value. */
function reasonOf(problem: UpsertReply["problem"]): string {
  const errors = Array.isArray(problem?.errors) ? problem.errors : [];
  const reasons = errors.map(({ pointer = "", detail = "" }: { pointer?: string; detail?: string }) => {
    // A pointer may begin with the list and the index of the row in its request.
    const field = pointer.replace(/^\/[a-z]+\/\d+(?=\/|$)/, "").slice(1);
    return `${field.replaceAll("/", ".")} ${detail}`.trim();
  });
  return reasons.length > 0 ? reasons.join("; ") : String(problem?.detail ?? "the server rejects the row");
}

type SentLine = { line: number; row: Readonly<Record<string, unknown>> };

/**
 * Sends rows of which no two have the same external id: a second one would change the row at each import. It is sent in a
 * further call of `send` if the first was rejected and is another row. `accepted` are the lines of the external ids that
 * were accepted, and gets those of this call. Returns a result for each line.
 */
export async function sendUniqueRows(
  lines: readonly FileLine[],
  accepted: Map<unknown, number>,
  send: (rows: Readonly<Record<string, unknown>>[]) => Promise<readonly RowResult[]>,
): Promise<RowResult[]> {
  const results: RowResult[] = [];
  /** The results of rejected rows by their text. */
  const rejected = new Map<string, RowResult>();
  let waiting = [...lines.entries()];
  while (waiting.length > 0) {
    const batch = new Map<unknown, SentLine & { index: number }>();
    const later: typeof waiting = [];
    for (const [index, line] of waiting) {
      const id = "row" in line ? line.row.externalId : undefined;
      const known = "fault" in line ? rejection(line.fault) : resultOf(line, accepted, rejected);
      if (known) results[index] = known;
      else if (batch.has(id)) later.push([index, line]);
      else if ("row" in line) batch.set(id, { ...line, index });
    }
    const sent = [...batch.values()];
    const replies = sent.length === 0 ? [] : await send(sent.map(({ row }) => row));
    for (const [i, { index, line, row }] of sent.entries()) {
      const reply = replies[i];
      if (!reply) throw new Error(`line ${line} has no result`);
      results[index] = reply;
      if (reply.result === "rejected") rejected.set(JSON.stringify(row), reply);
      else accepted.set(row.externalId, line);
    }
    waiting = later;
  }
  return results;
}

/** The result of a row that does not have to be sent. */
function resultOf(
  { row }: SentLine,
  accepted: ReadonlyMap<unknown, number>,
  rejected: ReadonlyMap<string, RowResult>,
): RowResult | undefined {
  const first = accepted.get(row.externalId);
  if (first !== undefined) return rejection(`line ${first} has the same externalId`);
  return rejected.size === 0 ? undefined : rejected.get(JSON.stringify(row));
}

function rejection(reason: string): RowResult {
  return { result: "rejected", reason };
}
