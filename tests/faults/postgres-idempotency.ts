import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { ignoresKeys } from "./controls/idempotency.ts";
import { notOnce, sendDuringFailures } from "./keyed-sender.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";
import { startLossProxy } from "./postgres-proxy.ts";

const demand = { short: { failures: 10, retries: 100 }, long: { failures: 500, retries: 500 } };

export const postgresIdempotency: Proof = {
  name: "postgres-idempotency",
  claim:
    "Requests that are sent again with their Idempotency-Key, while replies to COMMIT are lost, have one effect and one reply",
  run,
  controls: [ignoresKeys],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const ground = await preparePostgres(program, await durableServer());
  const proxies = [await startLossProxy(ground.urlOf(0)), await startLossProxy(ground.urlOf(1))];
  const copies = await Promise.all(proxies.map(({ url }, copy) => ground.serve(copy, url)));
  let requestCount = 0;
  // Each request goes to the other copy than the one before it.
  const url = () => copies[requestCount++ % copies.length]?.url ?? "";
  const { acknowledged, failures, faults, tried } = await sendDuringFailures(
    { url, key: ground.keys[0] ?? "" },
    demand[scale],
    async (count) => {
      const arrives = count % 2 === 0 ? "now" : "never";
      await proxies[count % proxies.length]?.lose({ state: "commit", arrives, resets: "both" });
      return [];
    },
    print,
  );
  for (const table of ["accounts", "contacts"]) {
    const rows = await query(ground.adminUrl(), `select name from ${table}`);
    faults.push(...notOnce(acknowledged, rows.flat().map(String)));
  }
  faults.push(...(await ground.check()));
  return { tried: { "lost connections": failures, ...tried }, faults };
}
