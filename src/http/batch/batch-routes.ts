import { type Static, Type } from "@sinclair/typebox";
import { invalidField } from "../../core/errors.ts";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import { maxRequestItems } from "../../shared/request-limits.ts";
import { subResourceList } from "../../shared/resources.ts";
import { deriveParsedBody, readUnvalidatedJson, releaseBody } from "../body/body.ts";
import { tenantRoutes } from "../guard/guard.ts";
import { detailOf } from "../guard/required-scope.ts";
import { ProblemDetails } from "../replies/replies.ts";
import { countRows } from "../resource/count-rows.ts";
import { prefersStrictHandling } from "../resource/prefer.ts";
import { write } from "../resource/write.ts";
import { type WriteOperation, writeMethods } from "../resource/write-operations.ts";
import { WriteQuery, writeReplies } from "../resource/write-schemas.ts";
import { validate } from "../validation/constraints.ts";
import { asMembers, readItems } from "../validation/items.ts";
import { choice, dataOf, documentedOnly, integer, openObject, text } from "../validation/shapes.ts";
import { assertAllValid, prepareOperations, runOperations } from "./batch.ts";
import type { BatchResults } from "./batch-results.ts";
import { OperationTable } from "./operations.ts";

const detail = detailOf("Batches", "write");

const modes = ["partial", "atomic"] as const;
const mode = choice(modes, {
  description: "`partial`: each operation succeeds or fails alone. `atomic`: all or none",
  examples: ["partial"],
});

const OperationShape = Type.Object(
  {
    method: choice(writeMethods, { examples: ["POST"] }),
    path: text({ description: "The path without a query", examples: ["/api/v1/accounts"] }),
    body: Type.Optional(openObject({ description: "As in the operation's own request; none for DELETE" })),
  },
  { $id: "BatchOperation", additionalProperties: true },
);
const BatchBody = documentedOnly(
  Type.Object(
    { mode, operations: Type.Array(OperationShape, { maxItems: maxRequestItems, description: "In order" }) },
    {
      $id: "Batch",
      additionalProperties: true,
      examples: [
        {
          mode: "partial",
          operations: [
            {
              method: "PUT",
              path: "/api/v1/accounts/external/acme",
              body: { name: "Acme", mrr: 1250.5 },
            },
            {
              method: "PUT",
              path: "/api/v1/contacts/external/ada",
              body: { accountExternalId: "acme", name: "Ada Lovelace", email: "ada@example.com" },
            },
          ],
        },
      ],
    },
  ),
);
const ResultShape = Type.Object(
  {
    status: integer({
      minimum: 200,
      maximum: 599,
      description: "The HTTP status of the operation",
      examples: [201],
    }),
    body: Type.Union([ProblemDetails, openObject(), Type.Null()], {
      description: "The response of the operation, or its problem; null without a body",
    }),
    omitted: Type.Optional(
      Type.Boolean({
        examples: [true],
        description:
          "True where `body.data` has only the `id` of the row, because the results before it have 4 MiB, or because the response is a replay of one over 256 KiB",
      }),
    ),
  },
  { $id: "BatchResult" },
);
const BatchReply = dataOf(
  Type.Object(
    {
      results: Type.Array(ResultShape, { description: "One for each operation, in order" }),
      succeeded: integer({
        minimum: 0,
        description: "Number of results with a status below 300",
        examples: [2],
      }),
      failed: integer({ minimum: 0, description: "Number of the other results", examples: [0] }),
    },
    { $id: "BatchOutcome" },
  ),
  "BatchReply",
);

export function batchRoutes(operations: readonly WriteOperation[]) {
  const table = new OperationTable(operations);
  return tenantRoutes("/api/v1/batch")
    .derive(deriveParsedBody)
    .post(
      "",
      async ({ tenant, set, query, idempotency, parsedBody, request }) => {
        const isStrict = prefersStrictHandling(request.headers.get("prefer"));
        const body = { ...releaseBody(parsedBody) };
        const isAtomic = readMode(body) === "atomic";
        const items = readItems(body, "operations");
        const prepared = await prepareOperations(table, items, { isStrict, caller: tenant.caller });
        if (isAtomic) assertAllValid(prepared);
        return write(
          { tenant, set, query, idempotency },
          async (tx) => replyOf(await runOperations(tx, prepared, isAtomic)),
          { rowCount: countRows(items.map((item) => asMembers(item)?.body)) },
        );
      },
      {
        parse: readUnvalidatedJson({ validMembers: () => ["mode", "operations"] }),
        query: WriteQuery,
        body: BatchBody,
        response: writeReplies({ 200: BatchReply }, ["batch_failed"], 400, 401, 413, 415, 500, 503),
        detail: detail(
          "runBatch",
          "Run many writes in one transaction",
          `Up to 1,000 POST, PATCH, PUT and DELETE operations on accounts, ${subResourceList}, in order and in one transaction. Each is checked as in its own request. A failed operation leaves nothing behind. With \`partial\` it does not affect the others: the status is 200, and its result has its problem, with pointers such as \`/operations/3/body/name\`. With \`atomic\` nothing is stored when an operation fails: 422 \`batch_failed\` with the problems of the first 10 failed operations. A DELETE of an account with more than 1,000 ${subResourceList}, or beyond 10,000 of all accounts of the batch, is \`too_many\`.`,
        ),
      },
    );
}

function replyOf(results: BatchResults): WriteReply<200, Static<typeof BatchReply>> {
  // Safe: the texts are JSON of this shape.
  return { status: 200, ...results.bodies() } as never;
}

function readMode({ mode: value }: Record<string, unknown>): (typeof modes)[number] {
  if (value === undefined) throw invalidField("/mode", "required", "is required");
  const violation = validate({ type: "string", enum: modes }, value);
  if (violation) throw invalidField("/mode", violation.code, violation.detail);
  // Safe: it is one of the modes.
  return value as (typeof modes)[number];
}
