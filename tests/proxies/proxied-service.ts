import { join } from "node:path";
import { service } from "../binary/service.ts";

const main = join(import.meta.dir, "../../src/main.ts");
export const program = [process.execPath, "--no-env-file", main];

/** A server with the default settings and an organization, run from the sources. */
export function proxiedService() {
  return service({}, program);
}

/** Creates accounts of together about 30 MB of JSON. */
export async function createLargeAccounts(
  send: Awaited<ReturnType<typeof proxiedService>>["send"],
): Promise<void> {
  const large = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`text${i}`, "x".repeat(480)]));
  for (let start = 0; start < 1_200; start += 40) {
    const accounts = Array.from({ length: 40 }, (_, i) => ({
      externalId: `${start + i}`,
      name: `Account ${start + i}`,
      attributes: large,
    }));
    const { status, text } = await send("POST", "/api/v1/accounts/batch", { accounts });
    if (status !== 200) throw new Error(text);
  }
}
