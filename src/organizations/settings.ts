import type { Engine } from "../../db/engine.ts";
import { input, inputs } from "../../db/expressions.ts";
import { organizationSettings } from "../../db/schema.ts";
import { insert } from "../../db/statements.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

const settingsOfTenant = select("organizationSettings.read", {
  fields: { traits: organizationSettings.traits },
  from: organizationSettings,
});
const setTraits = insert("organizationSettings.setTraits", {
  into: organizationSettings,
  values: inputs(organizationSettings, "organizationId", "traits"),
  onConflict: {
    target: [organizationSettings.organizationId],
    set: { traits: input("traits") },
  },
});

/** Whether traits of `group` and `identify` calls are stored as accounts and contacts. */
export async function hasTraits(snapshot: TenantSnapshot): Promise<boolean> {
  return (await snapshot.first(settingsOfTenant, {}))?.traits === 1;
}

export async function setOrganizationTraits(
  engine: Engine,
  organizationId: number,
  isOn: boolean,
): Promise<void> {
  await engine.write(organizationId, (tx) => tx.run(setTraits, { organizationId, traits: isOn ? 1 : 0 }));
}
