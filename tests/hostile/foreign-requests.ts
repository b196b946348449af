import type { Random } from "../support/random.ts";
import type { Sent } from "./client.ts";
import type { Document, Operation } from "./document.ts";
import type { Named } from "./foreign-site.ts";
import { Values } from "./values.ts";

/** Makes a request that names something; the same random numbers make the same request but for the names. */
export type Asking = { operation: Operation; place: string; ask: (named: Named, random: Random) => Sent };

const idsInPaths = ["accountId", "contactId", "meetingId", "requestId"] as const;
type IdInPath = (typeof idsInPaths)[number];

/** For each operation, a request for every place in it where something may be named that is the caller's own. */
export function askings(document: Document, own: Named): Asking[] {
  return document.operations.flatMap((operation) => [
    ...inPath(document, operation),
    ...inQuery(document, operation, own),
    ...inBody(operation),
  ]);
}

function inPath(document: Document, operation: Operation): Asking[] {
  const { method, path, body, parameters } = operation;
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return [];
  const place = `{${name}}`;
  const valuesOf = (random: Random) => new Values(random, (schema) => document.resolve(schema), 0);
  if (name === "externalId")
    return [
      {
        operation,
        place,
        ask: ({ externalId }, random) => {
          // A PUT without a name or an account makes nothing.
          const sent = body && (method === "PATCH" ? JSON.stringify(valuesOf(random).fitting(body)) : "{}");
          return { method, path: path.replace(place, externalId), body: sent };
        },
      },
    ];
  const isKnown = (one: string): one is IdInPath => idsInPaths.some((id) => id === one);
  if (!isKnown(name)) throw new Error(`nothing is known that ${path} could name`);
  return [
    {
      operation,
      place,
      ask: (named, random) => {
        const values = valuesOf(random);
        const given = parameters.filter((one) => one.in === "query" && random.below(3) === 0);
        const query = given.map(
          (one) => `${one.name}=${encodeURIComponent(String(values.fitting(one.schema)))}`,
        );
        const sent = body && JSON.stringify(random.below(4) === 0 ? {} : values.fitting(body));
        const asked = query.length > 0 ? `?${query.join("&")}` : "";
        const isHead = method === "GET" && random.below(6) === 0;
        return {
          method: isHead ? "HEAD" : method,
          path: path.replace(place, String(named[name])) + asked,
          body: sent,
        };
      },
    },
  ];
}

/** The names that a parameter of a query may take. */
const inQueries: Record<string, (named: Named) => string | number> = {
  accountId: ({ accountId }) => accountId,
  externalId: ({ externalId }) => externalId,
  email: ({ email }) => email,
  search: ({ externalId }) => externalId,
};

function inQuery(document: Document, operation: Operation, own: Named): Asking[] {
  const { method, path, parameters } = operation;
  return parameters.flatMap(({ name, in: where }) => {
    const value = inQueries[name];
    if (where !== "query" || !value) return [];
    return [
      {
        operation,
        place: `?${name}=`,
        ask: (named, random) => {
          const values = new Values(random, (schema) => document.resolve(schema), 0);
          const others = parameters.filter(
            (one) => one.in === "query" && inQueries[one.name] === undefined && random.below(3) === 0,
          );
          const query = others.map(
            (one) => `&${one.name}=${encodeURIComponent(String(values.fitting(one.schema)))}`,
          );
          const at = path.replace("{accountId}", String(own.accountId));
          return { method, path: `${at}?${name}=${encodeURIComponent(value(named))}${query.join("")}` };
        },
      },
    ];
  });
}

type Bodies = Record<string, (named: Named) => object>;
const refused = { event: "login", timestamp: "2000-01-01" };
const seen = { source: "platform", lastSeenAt: "2026-01-01" };
const puts: Bodies = {
  accountId: ({ accountId }) => ({ ...child, accountId }),
  accountExternalId: ({ externalId }) => ({ ...child, accountExternalId: externalId }),
};
const child = { name: "Eve", title: "Mine", startAt: "2026-01-01", endAt: "2026-01-01" };

/** Bodies that name something, and change nothing when it is not the caller's. */
const inBodies: Record<string, Bodies> = {
  "PUT /api/v1/contacts/external/{externalId}": puts,
  "PUT /api/v1/meetings/external/{externalId}": puts,
  "PUT /api/v1/requests/external/{externalId}": puts,
  "POST /api/v1/events": {
    accountId: ({ accountId }) => ({ events: [{ event: "login", accountId }] }),
    "accountId of one": ({ accountId, messageId }) => ({ event: "login", accountId, messageId }),
    "accountId before externalId": ({ accountId, externalId }) => ({ event: "x", accountId, externalId }),
    "externalId of what is too old": ({ externalId }) => ({ events: [{ ...refused, externalId }] }),
  },
  "POST /v1/batch": {
    groupId: ({ externalId: groupId }) => ({ batch: [{ type: "track", ...refused, context: { groupId } }] }),
    "identify's groupId": ({ externalId: groupId }) => ({
      batch: [{ type: "identify", context: { groupId } }],
    }),
  },
  "POST /api/v1/last-seen": {
    accountId: ({ accountId }) => ({ items: [{ ...seen, accountId }] }),
    externalId: ({ externalId }) => ({ items: [{ ...seen, externalId }] }),
    contactEmail: ({ email }) => ({ items: [{ ...seen, contactEmail: email }] }),
    "all three": ({ accountId, externalId, email }) => ({
      items: [
        { ...seen, accountId },
        { ...seen, externalId },
        { ...seen, contactEmail: email },
      ],
    }),
  },
};

function inBody(operation: Operation): Asking[] {
  const { method, path } = operation;
  const bodies = Object.entries(inBodies[`${method} ${path}`] ?? {});
  return bodies.map(([place, bodyOf]) => ({
    operation,
    place,
    ask: (named, random) => {
      // Also beside an external id that nobody has, or that they have.
      const externalId = random.below(2) === 0 ? named.externalId : "free";
      return { method, path: path.replace("{externalId}", externalId), body: JSON.stringify(bodyOf(named)) };
    },
  }));
}

/** Requests that give the caller something with a name that others have too: rows of the caller's own. */
export function takings(own: Named): ((named: Named) => Sent)[] {
  const sent = (method: string, path: string, bodyOf: (named: Named) => object) => (named: Named) => ({
    method,
    path: path.replace("{externalId}", named.externalId),
    body: JSON.stringify(bodyOf(named)),
  });
  const { accountId } = own;
  return [
    // First what waits for an account, and then the account.
    sent("POST", "/api/v1/events", ({ externalId, messageId }) => ({
      event: "login",
      externalId,
      messageId,
    })),
    sent("POST", "/v1/batch", ({ externalId }) => ({
      batch: [{ type: "track", event: "e", context: { groupId: externalId } }],
    })),
    sent("POST", "/api/v1/accounts", ({ externalId, email }) => ({
      name: "Mine",
      externalId,
      contactEmail: email,
    })),
    ...["contacts", "meetings", "requests"].map((list) =>
      sent("PUT", `/api/v1/${list}/external/{externalId}`, ({ email }) => ({ ...child, accountId, email })),
    ),
    ...["contacts", "meetings", "requests"].map((list) =>
      sent("POST", `/api/v1/accounts/${accountId}/${list}`, ({ externalId }) => ({
        ...child,
        externalId: `${externalId}!`,
      })),
    ),
    sent("PUT", "/api/v1/accounts/external/{externalId}", () => ({ name: "Mine too" })),
    sent("GET", "/api/v1/accounts?externalId={externalId}", () => ({})),
    sent("GET", "/api/v1/accounts/external/{externalId}", () => ({})),
    sent("PATCH", "/api/v1/accounts/external/{externalId}", () => ({ mrr: 7, status: "onboarding" })),
    sent("PATCH", `/api/v1/contacts/${own.contactId}`, ({ email }) => ({ email: `x${email}` })),
    // Last the deletes: each finds the caller's own row, the second one of the account none.
    ...["contacts", "meetings", "requests", "accounts", "accounts"].map((list) =>
      sent("DELETE", `/api/v1/${list}/external/{externalId}`, () => ({})),
    ),
    sent("GET", "/api/v1/accounts/external/{externalId}", () => ({})),
  ];
}
