import { eq } from "drizzle-orm";
import type { Engine } from "../../db/engine.ts";
import { inputs, textInput } from "../../db/expressions.ts";
import { secrets } from "../../db/schema.ts";
import { insert, select } from "../../db/statements.ts";

const secretByName = select("secrets.byName", {
  fields: { value: secrets.value },
  from: secrets,
  where: eq(secrets.name, textInput("name")),
});
const insertSecret = insert("secrets.insert", {
  into: secrets,
  values: inputs(secrets, "name", "value"),
  onConflict: { target: [secrets.name] },
});

/** The key of cursors: 256 random bits, the same for all servers of the database, stored at the first use. */
export async function cursorKeyOf(engine: Engine): Promise<string> {
  const name = "cursors";
  const read = () => engine.lookUp((snapshot) => snapshot.first(secretByName, { name }));
  const stored = await read();
  if (stored) return stored.value;
  const value = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  // The row belongs to no organization.
  await engine.write(0, (tx) => tx.run(insertSecret, { name, value }));
  // Another server may have stored another value before.
  return (await read())?.value ?? value;
}
