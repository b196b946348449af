import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { derivedKinds } from "../../db/derived-faults.ts";
import { Tenant } from "../core/tenant/tenant.ts";
import { repair } from "../repairs/repair.ts";
import type { OperatorServices } from "./request.ts";

const RepairBody = Type.Object({
  faults: Type.Array(
    Type.Object({
      kind: Type.Union(derivedKinds.map((kind) => Type.Literal(kind))),
      text: Type.String(),
      organizationId: Type.Integer(),
      key: Type.Array(Type.Union([Type.String(), Type.Number()])),
      difference: Type.Number(),
    }),
  ),
});

/** The repair of a batch of derived values: the reply has whether each was repaired. */
export function repairRoutes({ engine, reactions, log }: OperatorServices) {
  const services = { engine, reactions, runJob: () => Promise.resolve() };
  return new Elysia({ prefix: "/operator", strictPath: true, normalize: false }).post(
    "/repairs",
    async ({ body: { faults } }) => {
      const repaired = await Promise.all(
        faults.map((fault) => {
          const caller = { organizationId: fault.organizationId, actor: { type: "cli" as const } };
          return repair(new Tenant(services, { ...caller, requestId: null }), fault);
        }),
      );
      log.info("values_repaired", { count: repaired.filter(Boolean).length });
      return { repaired };
    },
    { body: RepairBody },
  );
}
