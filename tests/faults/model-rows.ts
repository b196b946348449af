import { mergedAttributes } from "./model-attributes.ts";

/** The members of a body or of a row, as in JSON. */
export type Body = Record<string, unknown>;
export type Kind = "accounts" | "contacts" | "meetings" | "requests";
export type Row = Body & {
  org: number;
  kind: Kind;
  id: number;
  externalId: string | null;
  updatedAt: string;
};

/** The reply of a rejected request. Each of `errors` has a member or parameter and a code. */
export class Refusal extends Error {
  readonly answer: { status: number; code: string; errors: string[] };

  constructor(status: number, code: string, errors: string[] = []) {
    super(code);
    this.answer = { status, code, errors: errors.sort() };
  }
}

type Plan = {
  required: readonly string[];
  /** The sort columns of a list; the first is the default. */
  sortBy: readonly string[];
  searched: readonly string[];
  /** The default values of a new row. */
  fresh: (now: string) => Body;
  /** Computes the derived values from the input and the new row. Throws the reply of a rejection. */
  finish: (row: Row, given: Body, now: string) => Row;
};

export const kinds: Record<Kind, Plan> = {
  accounts: {
    required: ["name"],
    sortBy: ["name", "mrr", "createdAt", "updatedAt"],
    searched: ["name", "externalId"],
    fresh: () => ({ mrr: 0, status: "active", logoUrl: null, contactActivityAt: null, attributes: {} }),
    finish: (row) => row,
  },
  contacts: {
    required: ["name"],
    sortBy: ["name", "createdAt", "updatedAt"],
    searched: ["name", "email"],
    fresh: () => ({ email: null, userId: null, lastSeenAt: null, attributes: {} }),
    finish: (row) => row,
  },
  meetings: {
    required: ["title", "startAt", "endAt"],
    sortBy: ["startAt", "endAt", "title", "createdAt", "updatedAt"],
    searched: ["title"],
    fresh: () => ({}),
    finish(row, given) {
      if (String(row.startAt) <= String(row.endAt)) return row;
      throw invalid(given.endAt === undefined ? "/startAt after_end" : "/endAt before_start");
    },
  },
  requests: {
    required: ["title"],
    sortBy: ["requestedAt", "severity", "title", "createdAt", "updatedAt"],
    searched: ["title"],
    fresh: (now) => ({ status: "Open", severity: 3, requestedAt: now, resolvedAt: null }),
    finish(merged, given, now) {
      const stated = String(merged.requestedAt);
      if (given.requestedAt !== undefined && stated > iso(Date.parse(now) + 300_000))
        throw invalid("/requestedAt in_future");
      // A time within the tolerance counts as now.
      const requestedAt = given.requestedAt !== undefined && stated > now ? now : stated;
      const row: Row = { ...merged, requestedAt };
      if (row.status !== "Done" && row.status !== "Declined") return { ...row, resolvedAt: null };
      const resolvedAt = String(row.resolvedAt ?? [requestedAt, now].sort().at(-1));
      if (given.requestedAt !== undefined && requestedAt > resolvedAt)
        throw invalid("/requestedAt after_resolved");
      return { ...row, resolvedAt };
    },
  },
};

/** The required members that the input of a new row does not have. The address of a contact is its default name. */
export function absentMembers(kind: Kind, given: Body): string[] {
  const members = withDefaultName(kind, given);
  return kinds[kind].required.filter((name) => members[name] === undefined);
}

export function withDefaultName(kind: Kind, given: Body): Body {
  return kind === "contacts" && given.name === undefined && given.email
    ? { ...given, name: given.email }
    : given;
}

/** The input as it is stored: an empty id or address is null, timestamps have one format, and attributes are merged. */
export function columns(given: Body, row: Body = {}): Body {
  const column = ([name, value]: [string, unknown]): [string, unknown] => {
    if (name === "externalId" || name === "email") return [name, value || null];
    if (name === "attributes") return [name, mergedAttributes(row.attributes, value)];
    return [name, name.endsWith("At") && value !== null ? iso(Date.parse(String(value))) : value];
  };
  return Object.fromEntries(Object.entries(given).map(column));
}

/** Puts the pointers of a rejection below `prefix`. */
export function prefixed<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, errors } = error.answer;
    throw new Refusal(
      status,
      code,
      errors.map((one) => prefix + one),
    );
  }
}

export function invalid(...errors: string[]): Refusal {
  return new Refusal(400, "invalid_request", errors);
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** Case folding that is correct for the texts of this proof. */
export function fold(text: unknown): string {
  return typeof text === "string" ? text.normalize("NFC").toUpperCase().toLowerCase() : "\0";
}

export function sorted<R extends Body>(rows: R[], value: (row: R) => unknown, order = "asc"): R[] {
  const sign = order === "asc" ? 1 : -1;
  const isLess = (one: unknown, other: unknown) => (one as string) < (other as string);
  const compare = (one: unknown, other: unknown) => Number(isLess(other, one)) - Number(isLess(one, other));
  return rows.toSorted(
    (one, other) => sign * (compare(value(one), value(other)) || compare(one.id, other.id)),
  );
}

export function paged(rows: unknown[], query: Record<string, string>) {
  const [page, pageSize, total] = [Number(query.page ?? 1), Number(query.pageSize ?? 25), rows.length];
  const totalPages = Math.ceil(total / pageSize);
  const pagination = {
    page,
    pageSize,
    total,
    totalPages,
    hasNextPage: page < totalPages,
    hasPrevPage: page > 1,
  };
  return { data: rows.slice((page - 1) * pageSize, page * pageSize), pagination };
}

export function pick(row: Body, names: readonly string[]): Body {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}
