import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { replies } from "../http/replies/replies.ts";
import { listAttributes } from "./list.ts";
import { AttributeListQuery, AttributeListReply } from "./model.ts";

const detail = detailOf("Attributes", "read");

/** The operation on the names of attributes. */
export const attributeRoutes = tenantRoutes("/api/v1/attributes").get(
  "",
  async ({ tenant, query }) => {
    const resource = query.resource === "contacts" ? "contact" : "account";
    return { data: await tenant.read((snapshot) => listAttributes(snapshot, resource), { place: "reader" }) };
  },
  {
    query: AttributeListQuery,
    response: replies({ 200: AttributeListReply }, 400, 401, 500, 503),
    detail: detail(
      "listAttributes",
      "List attributes",
      "Returns the first 1,000 attributes of accounts or of contacts by name: their types, the numbers of rows that have them, and frequent values.",
    ),
  },
);
