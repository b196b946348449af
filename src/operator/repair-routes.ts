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

/**
 * The repair of derived values by one command at a time. The reply to a batch has whether each was repaired. Without the
 * lease nothing is repaired: another command may have added the same difference.
 */
export function repairRoutes({ engine, reactions, log }: OperatorServices) {
  const services = { engine, reactions, runJob: () => Promise.resolve() };
  return new Elysia({ prefix: "/operator", strictPath: true, normalize: false })
    .put("/repairs/:id", async ({ params: { id } }) => ({ hasBegun: await engine.repairs.begin(id) }))
    .delete("/repairs/:id", async ({ params: { id } }) => {
      await engine.repairs.end(id);
      return {};
    })
    .post(
      "/repairs/:id",
      async ({ params: { id }, body: { faults } }) => {
        if (!(await engine.repairs.extend(id))) return { repaired: faults.map(() => false) };
        const repaired = await Promise.all(
          faults.map((fault) => {
            const caller = { organizationId: fault.organizationId, actor: { type: "cli" as const } };
            return repair(new Tenant(services, { ...caller, requestId: null }), fault);
          }),
        );
        if (faults.length > 0) log.info("values_repaired", { count: repaired.filter(Boolean).length });
        return { repaired };
      },
      { body: RepairBody },
    );
}
