import type { Engine } from "../../db/engine.ts";
import { createKey, type Key, type NewKey } from "../../src/api-keys/store.ts";

/** Creates a key in a transaction of its own. */
export function storeKey(engine: Engine, key: NewKey): Promise<{ secret: string; key: Key }> {
  return engine.write(key.organizationId, (tx) => createKey(tx, key));
}
