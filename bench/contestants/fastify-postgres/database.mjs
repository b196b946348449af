import pg from "pg";

const { Pool, types } = pg;
// Ids, counts and milliseconds are below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

export const pool = new Pool({ connectionString: process.env.DATABASE, max: 8 });
// Without a listener, a lost idle connection would end the process.
pool.on("error", (error) => console.error(error));

let count = 0;

/** A statement that each connection prepares once; the function returns the query for these values. */
export function prepare(text) {
  count += 1;
  const name = `s${count}`;
  return (...values) => ({ name, text, values });
}

/** Runs `work` in a transaction of its own. */
export async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const keyByHash = prepare("SELECT organization_id, expires_at, revoked_at FROM api_keys WHERE hash = $1");

/** The organization of the key with this hash, if the key may be used now. */
export async function organizationOf(hash) {
  const {
    rows: [key],
  } = await pool.query(keyByHash(hash));
  if (!key || key.revoked_at !== null) return undefined;
  return key.expires_at === null || key.expires_at > Date.now() ? key.organization_id : undefined;
}
