import type { TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";
import { asObject, type Json, type JsonObject } from "../../shared/json.ts";
import { resources } from "../../shared/resources.ts";
import { version } from "../../version.ts";
import { anyScheme } from "../guard/required-scope.ts";
import { Components } from "./components.ts";
import { describeOperation, type Operation, toJson } from "./operations.ts";
import { pascal } from "./problems.ts";

const about = `A key gives access to the data of one organization.

- Send the key in \`x-api-key\`, as a bearer token, or as the user name of Basic. The probes and this documentation need no key.
- A key has scopes: \`read\`, \`write\`, \`events\`, \`admin\`. An operation needs the one in its \`x-required-scope\`, or any; none implies another.
- A write is acknowledged after it is stored durably.
- A success has its payload in \`data\`. A failure is \`application/problem+json\` (RFC 9457) with a stable \`code\`.
- Filters of a list are combined with AND. Every order ends in \`id\`, so pages do not overlap while the data does not change. A page past the end is empty and has the true total.
- Timestamps are ISO 8601 in UTC with milliseconds.
- Every response to a request that could be parsed has \`x-request-id\`: the caller's own if it is 1–64 characters of \`A-Za-z0-9._-\`, otherwise a new one.
- An unknown query parameter under \`/api\` is rejected with \`unknown_parameter\`.
- Unknown fields of a body are ignored. With \`Prefer: handling=strict\` (RFC 7240) they are rejected with \`unknown_member\`; the response has \`Preference-Applied\` when the body was read.
- A write with \`dryRun=true\` is checked and has its usual response, with \`Dry-Run: true\`, but stores nothing.
- Repeat a write whose response was lost with the same \`Idempotency-Key\`: it is stored once, and for 24 hours has the first response, with \`Idempotent-Replayed: true\`.
- A body can have \`Content-Encoding: gzip\`. A response of over 1 KiB is in gzip if \`Accept-Encoding\` accepts it.
- \`include\` adds fields to accounts. \`fields\` leaves out the fields that it does not name, except \`id\`, also where their schema requires them.
- While a key has a limit of requests, every response has \`RateLimit-Policy\` and \`RateLimit\` (draft-ietf-httpapi-ratelimit-headers). Beyond it: 429 with \`Retry-After\`.
- \`HEAD\` works wherever \`GET\` works.
- New versions may add fields, parameters, codes and operations.`;

const info = {
  title: "accountd",
  version,
  summary: "A multi-tenant HTTP API for customer accounts",
  description: about,
  contact: { name: "The operator of this server" },
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  ...Object.values(resources).map(({ title, about }) => ({ name: `${title}s`, description: about })),
  { name: "Attributes", description: "Your own fields of accounts and contacts" },
  { name: "Events", description: "Usage of the product by accounts" },
  { name: "Segment", description: "Calls of Segment's and RudderStack's SDKs, which no other client needs" },
  { name: "Health", description: "Health scores of accounts, and when other platforms last saw them" },
  { name: "Batches", description: "Many writes in one request" },
  { name: "Changes", description: "Every change of the organization's data, in commit order" },
  { name: "Webhooks", description: "Endpoints that changes are sent to" },
  { name: "Keys", description: "API keys of the organization" },
  { name: "Organization", description: "The organization of the key" },
  { name: "Erasures", description: "Removal of a person from the organization" },
  { name: "Probes", description: "Liveness and readiness of the process" },
];

const securitySchemes = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The key" },
  bearer: { type: "http", scheme: "bearer", description: "The key as bearer token" },
  basic: { type: "http", scheme: "basic", description: "The key as user name, without a password" },
};

const webhookHeaders = [
  ["webhook-id", "Identifies the delivery: equal for all attempts", "msg_3_17_mjwaidke"],
  ["webhook-timestamp", "When the attempt began, in seconds since 1970", "1767323045"],
  [
    "webhook-signature",
    "`v1,` and a signature (Standard Webhooks), separated by spaces: during a rotation one of each secret",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
] as const;

/** The section `webhooks` of the OpenAPI document: the request that the service sends to a webhook. */
function describeWebhooks(change: TSchema): JsonObject {
  return {
    change: {
      post: {
        tags: ["Webhooks"],
        operationId: "receiveChange",
        summary: "Receive a change",
        description:
          "The request that the service sends for a change to a webhook with the format `accountd`. It is sent again until the status is 2xx, so that a receiver can get it twice.",
        security: [],
        parameters: webhookHeaders.map(([name, description, example]) => ({
          ...{ name, in: "header", required: true, description },
          schema: { type: "string", examples: [example] },
        })),
        requestBody: { required: true, content: { "application/json": { schema: toJson(change) } } },
        responses: {
          "2XX": { description: "The change was received" },
          "410": { description: "No further changes are to be sent: the webhook is disabled" },
        },
      },
    },
  };
}

/** The OpenAPI 3.1 document of the routes, without `servers`. `change`: the body of a request to a webhook, if any. */
export function openApiDocument(change: TSchema | undefined, ...groups: AnyElysia[]): JsonObject {
  const components = new Components();
  const operations = groups
    .flatMap(({ routes }) => routes)
    .flatMap((route) => describeOperation(route, components) ?? []);
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, value } of shareRepeated(operations, components))
    paths[path] = { ...paths[path], [method]: value };
  const { schemas, ...others } = components;
  const webhooks = change ? describeWebhooks(change) : {};
  const document = asObject(components.shareSchemas({ paths, webhooks, ...others }));
  const { paths: named, webhooks: sent, ...shared } = document;
  components.shareFields();
  return {
    openapi: "3.1.0",
    info,
    tags,
    security: anyScheme,
    paths: asObject(named),
    webhooks: asObject(sent),
    components: { securitySchemes, schemas, ...shared },
  };
}

/** Moves the parameters, and the successes of several operations, to the components. */
function shareRepeated(operations: readonly Operation[], components: Components): Operation[] {
  const tagsByText = new Map<string, string[]>();
  for (const { tag, value } of operations)
    for (const part of [...partsOf(value.parameters), ...partsOf(value.responses)])
      tagsByText.set(JSON.stringify(part), [...(tagsByText.get(JSON.stringify(part)) ?? []), tag]);
  const share = (part: JsonObject, section: "parameters" | "responses", name: (tags: string[]) => string) => {
    const text = JSON.stringify(part);
    const tags = tagsByText.get(text) ?? [];
    const isInline = tags.length === 1 && section === "responses";
    return part.$ref || isInline ? part : components.share(section, name(tags), part);
  };
  return operations.map(({ value: { parameters, responses, ...value }, ...operation }) => ({
    ...operation,
    value: {
      ...value,
      ...(parameters && {
        parameters: partsOf(parameters).map((part) =>
          share(part, "parameters", (tags) => parameterName(part, tags)),
        ),
      }),
      responses: Object.fromEntries(
        Object.entries(asObject(responses)).map(([status, reply]) => [
          status,
          share(asObject(reply), "responses", () => successName(asObject(reply))),
        ]),
      ),
    },
  }));
}

function partsOf(values: Json | undefined): JsonObject[] {
  return Object.values(values ?? {}).map(asObject);
}

/** `PageSize` where several tags have it; otherwise with the tag, such as `ContactExternalId`. */
function parameterName(parameter: JsonObject, tags: readonly string[]): string {
  const name = pascal(String(parameter.name).replace(".", " ")).replaceAll("-", "");
  const noun = (tags[0] ?? "").replace(/s$/, "");
  if (new Set(tags).size > 1 || name.startsWith(noun)) return name;
  return `${noun}${name}`;
}

/** `ContactReply`, after the schema of the reply; `NotModified` without one. */
function successName({ content, description }: JsonObject): string {
  const [media] = partsOf(content);
  return pascal(String(asObject(media?.schema).$id ?? description));
}
