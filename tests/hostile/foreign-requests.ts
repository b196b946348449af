import type { Random } from "../support/random.ts";
import type { Sent } from "./client.ts";
import type { Document, Operation, Parameter } from "./document.ts";
import type { Ids } from "./foreign-site.ts";
import { Values } from "./values.ts";

/** Returns a request with these ids. Equal random numbers return requests that differ only in the ids. */
export type RequestWithIds = {
  operation: Operation;
  place: string;
  build: (ids: Ids, random: Random) => Sent;
};

const idsInPaths = ["accountId", "contactId", "meetingId", "requestId", "keyId", "webhookId"] as const;
type IdInPath = (typeof idsInPaths)[number];

/** For each operation, a request for every place that can have an id of the caller's organization. */
export function askings(document: Document, own: Ids): RequestWithIds[] {
  return document.promptOperations.flatMap((operation) => [
    ...inPath(document, operation),
    ...inQuery(document, operation, own),
    ...inBody(operation),
  ]);
}

function inPath(document: Document, operation: Operation): RequestWithIds[] {
  const { method, path, body, parameters } = operation;
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return [];
  const place = `{${name}}`;
  const valuesOf = (random: Random) => new Values(random, (schema) => document.resolve(schema), 0);
  if (name === "externalId" || name === "userId")
    return [
      {
        operation,
        place,
        build: ({ externalId }, random) => {
          // A PUT without a name or an account creates nothing.
          const sent = body && (method === "PUT" ? "{}" : JSON.stringify(valuesOf(random).fitting(body)));
          return { method, path: path.replace(place, externalId), body: sent };
        },
      },
    ];
  // The name of an attribute is no id: each organization has its own names.
  if (path.startsWith("/api/v1/attributes/")) return [];
  const isKnown = (one: string): one is IdInPath => idsInPaths.some((id) => id === one);
  if (!isKnown(name)) throw new Error(`nothing is known that ${path} could name`);
  return [
    {
      operation,
      place,
      build: (ids, random) => {
        const values = valuesOf(random);
        const query = chosen(parameters, random).map(
          (one) => `${one.name}=${encodeURIComponent(String(values.fitting(one.schema)))}`,
        );
        const sent = body && JSON.stringify(random.below(4) === 0 ? {} : values.fitting(body));
        const asked = query.length > 0 ? `?${query.join("&")}` : "";
        const isHead = method === "GET" && random.below(6) === 0;
        return {
          method: isHead ? "HEAD" : method,
          path:
            path.replace(place, String(ids[name])).replace("{deliveryId}", String(ids.deliveryId)) + asked,
          body: sent,
        };
      },
    },
  ];
}

/** Some query parameters. Of many, about two: with more, nearly every request is invalid. */
export function chosen(parameters: readonly Parameter[], random: Random): Parameter[] {
  const inQuery = parameters.filter((one) => one.in === "query");
  return inQuery.filter(() => random.below(Math.max(3, Math.ceil(inQuery.length / 2))) === 0);
}

/** The ids that a query parameter may have. */
const inQueries: Record<string, (ids: Ids) => string | number> = {
  accountId: ({ accountId }) => accountId,
  externalId: ({ externalId }) => externalId,
  email: ({ email }) => email,
  "externalId.in": ({ externalId }) => externalId,
  "email.in": ({ email }) => email,
  search: ({ externalId }) => externalId,
};

function inQuery(document: Document, operation: Operation, own: Ids): RequestWithIds[] {
  const { method, path, parameters } = operation;
  return parameters.flatMap(({ name, in: where }) => {
    const value = inQueries[name];
    if (where !== "query" || !value) return [];
    return [
      {
        operation,
        place: `?${name}=`,
        build: (ids, random) => {
          const values = new Values(random, (schema) => document.resolve(schema), 0);
          const others = parameters.filter(
            ({ name, schema }) => inQueries[name] === undefined && schema.type !== "object",
          );
          const query = chosen(others, random).map(
            (one) => `&${one.name}=${encodeURIComponent(String(values.fitting(one.schema)))}`,
          );
          const at = path
            .replace("{accountId}", String(own.accountId))
            .replace("{externalId}", own.externalId);
          return { method, path: `${at}?${name}=${encodeURIComponent(value(ids))}${query.join("")}` };
        },
      },
    ];
  });
}

type Bodies = Record<string, (ids: Ids) => object>;
const refused = { event: "login", timestamp: "2000-01-01" };
const seen = { source: "platform", lastSeenAt: "2026-01-01" };
const puts: Bodies = {
  accountId: ({ accountId }) => ({ ...child, accountId }),
  accountExternalId: ({ externalId }) => ({ ...child, accountExternalId: externalId }),
};
const child = { name: "Eve", title: "Mine", startAt: "2026-01-01", endAt: "2026-01-01" };

/** Operations of a batch that fail unless the ids belong to the caller's organization. */
function operationsOn({ accountId, contactId, meetingId, requestId, externalId }: Ids) {
  const paths = [
    `accounts/${accountId}`,
    `accounts/external/${externalId}`,
    `contacts/${contactId}`,
    `meetings/${meetingId}`,
    `requests/${requestId}`,
  ].map((path) => `/api/v1/${path}`);
  const put = { method: "PUT", path: "/api/v1/contacts/external/free", body: { ...child, accountId } };
  const post = { method: "POST", path: `/api/v1/accounts/${accountId}/contacts`, body: child };
  const patches = paths.map((path) => ({ method: "PATCH", path, body: { name: "Mine", title: "Mine" } }));
  const deletes = paths.map((path) => ({ method: "DELETE", path }));
  return { mode: "partial", operations: [put, post, ...patches, ...deletes] };
}

/** Of the paths of other tools: a list of calls, and one call. */
const batchBodies: Bodies = {
  groupId: ({ externalId: groupId }) => ({ batch: [{ type: "track", ...refused, context: { groupId } }] }),
  "identify's groupId": ({ externalId: groupId }) => ({
    batch: [{ type: "identify", context: { groupId } }],
  }),
};
const callBodies: Bodies = {
  groupId: ({ externalId: groupId }) => ({ ...refused, context: { groupId }, traits: { name: "X" } }),
};
const calls = ["track", "identify", "group", "page", "alias", "screen", "t", "i", "g", "p", "a", "s"];
const ingestBodies = Object.fromEntries([
  ...["batch", "import", "b"].map((name): [string, Bodies] => [`POST /v1/${name}`, batchBodies]),
  ...calls.map((name): [string, Bodies] => [`POST /v1/${name}`, callBodies]),
]);

/** Bodies with ids that have no effect unless the ids belong to the caller's organization. */
const inBodies: Record<string, Bodies> = {
  ...ingestBodies,
  "PUT /api/v1/contacts/external/{externalId}": puts,
  "PUT /api/v1/meetings/external/{externalId}": puts,
  "PUT /api/v1/requests/external/{externalId}": puts,
  "POST /api/v1/events": {
    accountId: ({ accountId }) => ({ events: [{ event: "login", accountId }] }),
    "accountId of one": ({ accountId, messageId }) => ({ event: "login", accountId, messageId }),
    "accountId before externalId": ({ accountId, externalId }) => ({ event: "x", accountId, externalId }),
    "externalId of what is too old": ({ externalId }) => ({ events: [{ ...refused, externalId }] }),
  },
  "POST /api/v1/batch": {
    accountId: (ids) => operationsOn(ids),
    "accountId of an atomic batch": (ids) => ({ ...operationsOn(ids), mode: "atomic" }),
  },
  "POST /api/v1/erasures": {
    email: ({ email }) => ({ email }),
    userId: ({ externalId: userId }) => ({ userId }),
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

function inBody(operation: Operation): RequestWithIds[] {
  const { method, path } = operation;
  const bodies = Object.entries(inBodies[`${method} ${path}`] ?? {});
  return bodies.map(([place, bodyOf]) => ({
    operation,
    place,
    build: (ids, random) => {
      // Also next to an external id of no organization, or of the other one.
      const externalId = random.below(2) === 0 ? ids.externalId : "free";
      return { method, path: path.replace("{externalId}", externalId), body: JSON.stringify(bodyOf(ids)) };
    },
  }));
}

/** Requests that create rows of the caller with ids that others also use. */
export function takings(own: Ids): ((ids: Ids) => Sent)[] {
  const sent = (method: string, path: string, bodyOf: (ids: Ids) => object) => (ids: Ids) => ({
    method,
    path: path.replace("{externalId}", ids.externalId),
    body: JSON.stringify(bodyOf(ids)),
  });
  const { accountId } = own;
  return [
    // First the pending events, then their account.
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
    sent("POST", "/api/v1/accounts/batch", ({ externalId, email }) => {
      const contact = { name: "Eve", externalId: `${externalId}?`, email };
      return { accounts: [{ externalId, name: "Mine", contacts: [contact] }] };
    }),
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
    // Last the deletes: each finds the caller's own row, except the second one of the account.
    ...["contacts", "meetings", "requests", "accounts", "accounts"].map((list) =>
      sent("DELETE", `/api/v1/${list}/external/{externalId}`, () => ({})),
    ),
    sent("GET", "/api/v1/accounts/external/{externalId}", () => ({})),
  ];
}
