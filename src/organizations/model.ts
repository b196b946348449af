import { Type } from "@sinclair/typebox";
import { OwnKey } from "../api-keys/model.ts";
import { dataOf, integer, text } from "../http/validation/shapes.ts";

const OwnOrganization = Type.Object(
  {
    id: integer({ description: "Assigned by the server", examples: [1] }),
    name: text({ description: "The name that the operator gave it", examples: ["Acme"] }),
  },
  { $id: "Organization", description: "The organization of the key" },
);
const Me = Type.Object(
  { organization: OwnOrganization, key: OwnKey },
  { $id: "Me", description: "Whose key a request has" },
);
export const MeReply = dataOf(Me, "MeReply");
