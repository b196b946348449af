import { swagger } from "@elysiajs/swagger";
import { type AnyElysia, Elysia } from "elysia";
import type { ProblemCode } from "../core/errors.ts";
import { version } from "../version.ts";
import { type Operation, problemExamples } from "./problem-examples.ts";
import { publicPaths } from "./route-table.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = { [name: string]: Json };

const about = `Keeps the customer accounts of organizations. Every request carries its organization's key, in \`x-api-key\` or as a bearer token or the user name of Basic; only the probes and this documentation need none.

- A success has its payload in \`data\`; a failure is \`application/problem+json\` (RFC 9457) with a stable \`code\`.
- Times are ISO 8601 in UTC with milliseconds.
- Every response to a request that could be parsed has \`x-request-id\`: the caller's own (1–64 of \`A-Za-z0-9._-\`), or a new one.
- \`HEAD\` works where \`GET\` does. Unknown members of a body are ignored; with \`Prefer: handling=strict\` they are a problem, \`unknown_member\`, and every reply to such a request has \`Preference-Applied\`. An unknown query parameter under \`/api\` is a problem, \`unknown_parameter\`.`;

/** The OpenAPI 3.1 document of the routes. */
export async function openApiDocument(...routes: AnyElysia[]): Promise<Members> {
  const documented = new Elysia().use(
    swagger({
      path: "/page",
      specPath: "/document",
      documentation: {
        // The plugin's types know OpenAPI 3.0 alone; `finish` puts the version in.
        info: { title: "accountd", version, description: about, license: { name: "MIT" } },
        tags: [
          { name: "Accounts", description: "Customer accounts of the key's organization" },
          { name: "Contacts", description: "The people at accounts" },
          { name: "Meetings", description: "The meetings with accounts" },
          { name: "Requests", description: "What accounts asked for" },
          { name: "Events", description: "What accounts do with the product" },
          {
            name: "Health",
            description: "How healthy accounts are, and when somebody of them was last seen",
          },
          { name: "Probes", description: "For those who watch over the process" },
        ],
        components: {
          securitySchemes: {
            apiKey: {
              type: "apiKey",
              in: "header",
              name: "x-api-key",
              description: "The organization's key",
            },
            bearer: { type: "http", scheme: "bearer", description: "The key as a bearer token" },
            basic: { type: "http", scheme: "basic", description: "The key as the user name, no password" },
          },
        },
        security: [{ apiKey: [] }, { bearer: [] }, { basic: [] }],
      },
    }),
  );
  for (const group of routes) documented.use(group);
  const answer = await documented.handle(new Request("http://localhost/document"));
  return finish((await answer.json()) as Members);
}

/** What the plugin leaves wrong: media types, shapes that are copied and not named, replies with members of shapes. */
function finish(document: Members): Members {
  const schemas: Members = {};
  const paths = Object.entries(asMembers(document.paths)).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(asMembers(operations)).map(([method, operation]) => [
        method,
        finishOperation(path, method, asMembers(operation)),
      ]),
    ),
  ]);
  const named = nameShapes(Object.fromEntries(paths), schemas);
  const components = { ...asMembers(document.components), schemas };
  return {
    ...document,
    openapi: "3.1.0",
    paths: named,
    components,
  };
}

function finishOperation(path: string, method: string, operation: Members): Members {
  const { requestBody, responses, parameters = [], ...rest } = operation;
  const body = asMembers(requestBody ?? {});
  return {
    ...rest,
    ...(Array.isArray(parameters) &&
      parameters.length > 0 && { parameters: parameters.map(finishParameter) }),
    ...(publicPaths.has(path) && { security: [] }),
    ...(requestBody && { requestBody: { required: true, content: contentOf(body, "application/json") } }),
    responses: Object.fromEntries(
      Object.entries(asMembers(responses)).map(([status, reply]) => [
        status,
        finishReply(Number(status), asMembers(reply), asOperation(path, method, operation)),
      ]),
    ),
  };
}

/** A parameter's examples are its shape's: in a parameter itself they would have names. */
function finishParameter(parameter: Json): Json {
  const { examples, schema, ...rest } = asMembers(parameter);
  return { ...rest, schema: { ...asMembers(schema), ...(examples && { examples }) } };
}

const requestIdHeader = {
  description: "Names this request in the service's log",
  schema: { type: "string" },
};

const successes: Record<number, string> = { 200: "Success", 201: "Created", 204: "Deleted" };

function finishReply(status: number, reply: Members, operation: Operation): Members {
  const headers: Members = { "x-request-id": requestIdHeader };
  if (status === 201)
    headers.location = { description: "The path of what was created", schema: { type: "string" } };
  if (status === 401)
    headers["www-authenticate"] = {
      description: "The scheme to authenticate by",
      schema: { type: "string", examples: ['ApiKey realm="accountd"'] },
    };
  if (status === 503)
    headers["retry-after"] = {
      description: "Seconds to wait before the next try",
      schema: { type: "integer", examples: [1] },
    };
  if (status < 400) {
    const content = status !== 204 && { content: contentOf(reply, "application/json") };
    return { description: successes[status] ?? "Success", headers, ...content };
  }
  const examples = Object.fromEntries(problemExamples(codesIn(reply), operation));
  // Safe: a problem's body is JSON.
  const content = contentOf(reply, "application/problem+json", examples as Members);
  return { description: Object.keys(examples).join(", "), headers, content };
}

function contentOf(holder: Members, mediaType: string, examples?: Members): Members {
  const media = asMembers(Object.values(asMembers(holder.content))[0]);
  // Of a reply's shape the plugin leaves the name and the description with the reply.
  const { $id, description } = holder;
  const schema = { ...asMembers(media.schema), ...($id && { $id }), ...(description && { description }) };
  return { [mediaType]: { schema, ...(examples && { examples }) } };
}

/**
 * Moves every shape that has an `$id` to `schemas`, and leaves a reference to it in its place. Throws when
 * two shapes that differ have one `$id`.
 */
function nameShapes(value: Json, schemas: Members): Json {
  if (Array.isArray(value)) return value.map((member) => nameShapes(member, schemas));
  if (typeof value !== "object" || value === null) return value;
  const { $id, noValidate: _, ...members } = value;
  const named = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, nameShapes(member, schemas)]),
  );
  if (typeof $id !== "string") return named;
  schemas[$id] ??= named;
  if (!Bun.deepEquals(schemas[$id], named)) throw new Error(`Two shapes that differ are called ${$id}.`);
  return { $ref: `#/components/schemas/${$id}` };
}

function asMembers(value: Json | undefined): Members {
  // Safe: the OpenAPI specification has an object here, and the plugin made it.
  return (value ?? {}) as Members;
}

function asOperation(path: string, method: string, operation: Members): Operation {
  // Safe: the plugin made it from our shapes, whose members are made from Rules.
  return { ...(operation as unknown as Operation), path, method };
}

function codesIn({ codes }: Members): ProblemCode[] {
  // Safe: `replies` put them there.
  return codes as ProblemCode[];
}
