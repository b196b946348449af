import { closestName } from "../did-you-mean.ts";
import { Problem } from "../errors.ts";

/** What a key may do. `events`: usage events, last-seen timestamps and Segment. `admin`: keys. None implies another. */
export const scopes = ["read", "write", "events", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** The scopes of a key that is created without any, and of a stored key without any. */
export const defaultScopes: readonly Scope[] = ["read", "write", "events"];

/** The scopes of a comma list such as `read,write`. Undefined when one is unknown or the list is empty. */
export function readScopes(list: string): Scope[] | undefined {
  const names = list.split(",").map((name) => name.trim());
  return names.every(isScope) ? names : undefined;
}

export function isScope(name: unknown): name is Scope {
  return (scopes as readonly unknown[]).includes(name);
}

/** The scope that the first misspelled name is most similar to. */
export function closestScope(names: readonly string[]): Scope | undefined {
  for (const name of names) {
    const closest = isScope(name.trim()) ? undefined : closestName(name.trim(), scopes);
    if (isScope(closest)) return closest;
  }
  return undefined;
}

/** The stored form: a comma list in the order of `scopes`, without repetitions. */
export function formatScopes(chosen: readonly Scope[]): string {
  return scopes.filter((scope) => chosen.includes(scope)).join(",");
}

/** The scopes of a stored list. Scopes of a later version are left out. */
export function parseScopes(list: string): Scope[] {
  const names = list.split(",");
  return scopes.filter((scope) => names.includes(scope));
}

const setsByList = new Map<string, ReadonlySet<Scope>>();

/** The scopes of a stored list as a set: one object for all equal lists. */
export function scopeSet(list: string): ReadonlySet<Scope> {
  return setsByList.getOrInsertComputed(list, () => new Set(parseScopes(list)));
}

/** Throws `insufficient_scope` when the caller is a key without this scope. */
export function requireScope({ scopes: granted }: { scopes?: ReadonlySet<Scope> }, scope: Scope): void {
  if (granted && !granted.has(scope)) throw insufficientScope([scope]);
}

export function insufficientScope(missing: readonly Scope[]): Problem {
  const names = missing.map((scope) => `\`${scope}\``).join(" and ");
  return new Problem("insufficient_scope", {
    detail: `Use a key with the ${missing.length === 1 ? "scope" : "scopes"} ${names}.`,
  });
}
