/** The source that mutate.deep.test.ts mutates, with one construct of each kind. */
export async function example(scheme: string, used: Map<number, number>, now: number): Promise<string> {
  const lastUsed = used.get(now);
  if (scheme === "basic" && lastUsed !== undefined) return scheme;
  if (now - (lastUsed ?? 0) < 60 * 1_000) return "";
  if (!/^[a-z]{1,8}$/.test(scheme)) return "";
  used.set(now, now);
  await Promise.resolve();
  return used.get(0)?.toString() ?? used.get(1)?.toString() ?? scheme;
}

export class Example {
  #count = 0;

  next(): number {
    return ++this.#count;
  }
}
