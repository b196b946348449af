import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { storeKey } from "../support/keys.ts";
import { beginning } from "../support/world.ts";

/** The number of pairs of organizations in a database, one pair for each sequence. Creating a service is slow. */
export const pairs = 50;

export type Organization = { id: number; secret: string; actor: { type: "key"; id: number; name: string } };

/** A database of organizations, to be copied for each service, in a folder that is removed by `close`. */
export async function ground() {
  const folder = mkdtempSync(join(tmpdir(), "accountd-model-"));
  const file = join(folder, "ground.db");
  const engine = openDatabase(file, { clock: () => beginning, canCreate: true });
  const organizations = await Promise.all(
    Array.from({ length: 2 * pairs }, async (_, i): Promise<Organization> => {
      const { id } = await createOrganization(engine, `Organization ${i}`);
      const { key, secret } = await storeKey(engine, {
        organizationId: id,
        name: `Key ${i}`,
        expiresAt: null,
      });
      return { id, secret, actor: { type: "key", id: key.id, name: key.name } };
    }),
  );
  await engine.close();
  let copies = 0;
  return {
    organizations,
    copy() {
      copies += 1;
      copyFileSync(file, join(folder, `${copies}.db`));
      return join(folder, `${copies}.db`);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
