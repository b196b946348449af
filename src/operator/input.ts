import { Type } from "@sinclair/typebox";
import { scopes } from "../core/tenant/scopes.ts";

const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

export const OrganizationBody = Type.Object({ name: Type.String() });
/** Whether traits of Segment's calls are stored. */
export const TraitsBody = Type.Object({ traits: Type.Boolean() });
/** `expiresAfter` counts from the creation. Both times are milliseconds. */
export const OperatorKeyBody = Type.Object({
  name: Type.String(),
  expiresAt: nullableNumber,
  expiresAfter: nullableNumber,
  scopes: Type.Optional(Type.Array(Type.Union(scopes.map((scope) => Type.Literal(scope))), { minItems: 1 })),
  rateLimit: nullableNumber,
});
export const OperatorKeyPath = Type.Object({ id: Type.String({ pattern: "^\\d{1,15}$" }) });
/** `isClockTrusted` ends the time after a jump of the clock in which retention ignores it. */
export const JobsBody = Type.Object({ isClockTrusted: Type.Boolean() });
export const ImportBody = Type.Object({ resource: Type.String() });
