import { type AnyElysia, Elysia } from "elysia";
import { version } from "../../version.ts";
import { anyScheme } from "../guard/required-scope.ts";
import { asObject, Components, type JsonObject } from "./components.ts";
import { finishPaths } from "./operations.ts";

const about = `A key gives access to the data of one organization.

- Send the key in \`x-api-key\`, as a bearer token, or as the user name of Basic. The probes and this documentation need no key.
- A key has scopes: \`read\`, \`write\`, \`events\`, \`admin\`. An operation needs the one in its \`x-required-scope\`; none implies another.
- A write is acknowledged after it is stored durably.
- A success has its payload in \`data\`. A failure is \`application/problem+json\` (RFC 9457) with a stable \`code\`.
- Timestamps are ISO 8601 in UTC with milliseconds.
- Every reply to a request that could be parsed has \`x-request-id\`: the caller's own if it is 1–64 characters of \`A-Za-z0-9._-\`, otherwise a new one.
- An unknown query parameter under \`/api\` is rejected with \`unknown_parameter\`.
- Unknown members of a body are ignored. With \`Prefer: handling=strict\` (RFC 7240) they are rejected with \`unknown_member\`; the reply has \`Preference-Applied\` when the body was read.
- A write with \`dryRun=true\` is checked and has its usual reply, with \`Dry-Run: true\`, but stores nothing.
- Repeat a write whose reply was lost with the same \`Idempotency-Key\`: it is stored once, and for 24 hours has the first reply, with \`Idempotent-Replayed: true\`.
- A body can have \`Content-Encoding: gzip\`. A reply of over 1 KiB is in gzip if \`Accept-Encoding\` accepts it.
- \`include\` adds members to accounts. \`fields\` leaves out the members that it does not name, except \`id\`, also where their schema requires them.
- While a key has a limit of requests, every reply has \`RateLimit-Policy\` and \`RateLimit\` (draft-ietf-httpapi-ratelimit-headers). Beyond it: 429 with \`Retry-After\`.
- \`HEAD\` works wherever \`GET\` works.
- New versions may add members, parameters, codes and operations.`;

const info = {
  title: "accountd",
  version,
  summary: "A multi-tenant HTTP API for customer accounts",
  description: about,
  contact: { name: "The operator of this server" },
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  { name: "Accounts", description: "Customer accounts of the organization" },
  { name: "Contacts", description: "People at accounts" },
  { name: "Attributes", description: "Your own members of accounts and contacts" },
  { name: "Meetings", description: "Meetings with accounts" },
  { name: "Requests", description: "Feature requests of accounts" },
  { name: "Events", description: "Usage of the product by accounts" },
  { name: "Health", description: "Health scores of accounts, and when other platforms last saw them" },
  { name: "Batches", description: "Many writes in one request" },
  { name: "Changes", description: "Every change of the organization's data, in commit order" },
  { name: "Keys", description: "API keys of the organization" },
  { name: "Erasures", description: "Removal of a person from the organization" },
  { name: "Probes", description: "Liveness and readiness of the process" },
];

const securitySchemes = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The key" },
  bearer: { type: "http", scheme: "bearer", description: "The key as bearer token" },
  basic: { type: "http", scheme: "basic", description: "The key as user name, without a password" },
};

/** The OpenAPI 3.1 document of the routes. */
export async function openApiDocument(...routes: AnyElysia[]): Promise<JsonObject> {
  // Imported here, because its modules take longer to load than the rest of the app.
  const { swagger } = await import("@elysiajs/swagger");
  const documented = new Elysia().use(
    swagger({ path: "/page", specPath: "/document", excludeStaticFile: false }),
  );
  for (const group of routes) documented.use(group);
  const reply = await documented.handle(new Request("http://localhost/document"));
  const { paths } = (await reply.json()) as JsonObject;
  const components = new Components();
  const finished = finishPaths(asObject(paths), components);
  const { schemas, ...others } = components;
  const { paths: named, ...shared } = asObject(components.shareSchemas({ paths: finished, ...others }));
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "This server" }],
    tags,
    security: anyScheme,
    paths: asObject(named),
    components: { securitySchemes, schemas, ...shared },
  };
}
