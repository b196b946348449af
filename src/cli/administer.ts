import { openDatabase } from "../../db/sqlite/engine.ts";
import {
  type AdminInput,
  type AdminOperationName,
  type AdminOutput,
  runAdminOperation,
} from "../admin/operations.ts";

/** Runs a change of organizations or keys. Throws OperatorError. */
export async function administer<N extends AdminOperationName>(
  database: string,
  name: N,
  input: AdminInput<N>,
  { create = false } = {},
): Promise<AdminOutput<N>> {
  const engine = openDatabase(database, { now: Date.now(), create });
  try {
    return await runAdminOperation({ engine, clock: Date.now }, name, input);
  } finally {
    await engine.close();
  }
}
