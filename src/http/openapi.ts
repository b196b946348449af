import { swagger } from "@elysiajs/swagger";
import { type AnyElysia, Elysia } from "elysia";
import { codesOf, Problem, type ProblemCode } from "../errors.ts";
import { version } from "../version.ts";
import { problemBody } from "./failures.ts";
import { publicPaths } from "./paths.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = { [name: string]: Json };

const about = `Keeps the customer accounts of organizations. Every request to \`/api\` carries its organization's key in \`x-api-key\`.

- A success has its payload in \`data\`; a failure is \`application/problem+json\` (RFC 9457) with a stable \`code\`.
- Times are ISO 8601 in UTC with milliseconds.
- Every response has \`x-request-id\`: the caller's own (1–64 of \`A-Za-z0-9._-\`), or a new one.
- \`HEAD\` works where \`GET\` does. Unknown members and parameters are ignored.`;

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
        finishReply(Number(status), method, asMembers(reply)),
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

function finishReply(status: number, method: string, reply: Members): Members {
  const headers: Members = { "x-request-id": requestIdHeader };
  if (status === 201)
    headers.location = { description: "The path of what was created", schema: { type: "string" } };
  if (status === 401) headers["www-authenticate"] = { schema: { type: "string" } };
  if (status === 503) headers["retry-after"] = { description: "Seconds", schema: { type: "integer" } };
  if (status === 204) return { description: reply.description ?? "", headers };
  const content = contentOf(
    reply,
    status < 400 ? "application/json" : "application/problem+json",
    examplesOf(status, method),
  );
  return { description: reply.description ?? "", headers, content };
}

function contentOf(holder: Members, mediaType: string, examples: Members = {}): Members {
  const media = asMembers(Object.values(asMembers(holder.content))[0]);
  // Of a reply's shape the plugin leaves the name with the reply.
  const schema = { ...asMembers(media.schema), ...(holder.$id && { $id: holder.$id }) };
  return { [mediaType]: { schema, ...(Object.keys(examples).length > 0 && { examples }) } };
}

/** Problems that only some methods meet: without a body none is malformed. */
const only: Partial<Record<ProblemCode, string[]>> = {
  malformed_json: ["post", "put", "patch"],
  no_valid_fields: ["patch"],
};
const violation = { pointer: "/name", code: "required", detail: "is required" };

function examplesOf(status: number, method: string): Members {
  const codes = codesOf(status).filter((code) => only[code]?.includes(method) ?? true);
  return Object.fromEntries(
    codes.map((code) => {
      const problem = new Problem(code, code === "invalid_request" ? { errors: [violation] } : {});
      // Safe: a problem's body is JSON.
      return [code, { value: problemBody(problem, "0b6a3c1e") as Members }];
    }),
  );
}

/** Moves every shape that has an `$id` to `schemas`, and leaves a reference to it in its place. */
function nameShapes(value: Json, schemas: Members): Json {
  if (Array.isArray(value)) return value.map((member) => nameShapes(member, schemas));
  if (typeof value !== "object" || value === null) return value;
  const { $id, noValidate: _, ...members } = value;
  const named = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, nameShapes(member, schemas)]),
  );
  if (typeof $id !== "string") return named;
  schemas[$id] ??= named;
  return { $ref: `#/components/schemas/${$id}` };
}

function asMembers(value: Json | undefined): Members {
  // Safe: the OpenAPI specification has an object here, and the plugin made it.
  return (value ?? {}) as Members;
}
