import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { replies } from "../http/replies/replies.ts";
import { ok, write } from "../http/resource/write.ts";
import { writeReplies } from "../http/resource/write-schemas.ts";
import { declareAttribute } from "./declare.ts";
import {
  AttributeDeclarationBody,
  AttributeListQuery,
  AttributePath,
  DeclareAttributeQuery,
  readDeclaration,
  resourceOf,
} from "./input.ts";
import { listAttributes, presentDeclared } from "./list.ts";
import { countMismatches } from "./mismatches.ts";
import { AttributeListReply, AttributeReply, presentAttribute } from "./model.ts";

const detail = detailOf("Attributes", "read");
const adminDetail = detailOf("Attributes", "admin");

/** The operations on the names of attributes. */
export const attributeRoutes = tenantRoutes("/api/v1/attributes")
  .get(
    "",
    async ({ tenant, query }) => {
      const resource = resourceOf(query);
      const listed = await tenant.read((snapshot) => listAttributes(snapshot, resource), { place: "reader" });
      return { data: listed.map(presentAttribute) };
    },
    {
      query: AttributeListQuery,
      response: replies({ 200: AttributeListReply }, 400, 401, 500, 503),
      detail: detail(
        "listAttributes",
        "List attributes",
        "Returns the first 1,000 attributes of accounts or of contacts by name, and all declared ones: their types, numbers of rows and frequent values.",
      ),
    },
  )
  .put(
    "/:name",
    async ({ tenant, set, query, idempotency, params: { name }, body }) => {
      const key = { resource: resourceOf(query), name };
      const input = readDeclaration(body);
      // Not in the transaction, in which other writes would wait for the read of all texts.
      const mismatches =
        input.type === "date" || input.canConvert
          ? await tenant.read((snapshot) => countMismatches(snapshot, { ...key, type: input.type }), {
              place: "reader",
            })
          : undefined;
      return write({ tenant, set, query, idempotency }, async (tx) => {
        const declared = await declareAttribute(tx, key, input, mismatches);
        return ok(presentAttribute(await presentDeclared(tx, key.resource, declared)));
      });
    },
    {
      parse: strictJson(AttributeDeclarationBody),
      params: AttributePath,
      query: DeclareAttributeQuery,
      body: AttributeDeclarationBody,
      response: writeReplies(
        { 200: AttributeReply },
        ["attribute_values_conflict"],
        ...([400, 401, 413, 415, 500, 503] as const),
      ),
      detail: adminDetail(
        "declareAttribute",
        "Declare an attribute",
        "Stored values of another type are 409; with `convert`, a job converts texts.",
      ),
    },
  );
