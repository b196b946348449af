import type { Running } from "../binary/binary.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { deliveredBeforeTheAnswer, skippedOnRestart, startsAtTheNewest } from "./controls/webhooks.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";
import { restartable } from "./restarts.ts";
import { killDeliveries } from "./webhook-load.ts";

const killCounts = { short: 20, long: 500 };
const killsOfControl = 5;
const claim =
  "After SIGKILLs during deliveries, webhooks have got every change at least once, in order, one at a time, and none that is not in the feed";
const controls = [deliveredBeforeTheAnswer, skippedOnRestart, startsAtTheNewest];
type RunOptions = { endsAtFault: boolean } | undefined;
const killsOf = (scale: Scale, options: RunOptions) =>
  options?.endsAtFault ? killsOfControl : killCounts[scale];

export const webhooks: Proof = {
  name: "webhooks",
  claim,
  run: async (program: Program, scale: Scale, print: PrintLine, options) =>
    killDeliveries(await restartable(program, ["--webhooks-insecure"]), killsOf(scale, options), print),
  controls,
};

export const postgresWebhooks: Proof = {
  name: "postgres-webhooks",
  claim: `On PostgreSQL: ${claim}`,
  run: runOnPostgres,
  controls,
};

async function runOnPostgres(program: Program, scale: Scale, print: PrintLine, options: RunOptions) {
  const ground = await preparePostgres(program, await durableServer());
  const [key = ""] = ground.keys;
  let server: Running | undefined;
  const running = (): Running => {
    if (!server) throw new Error("the program was not started");
    return server;
  };
  const service = {
    key,
    url: () => running().url,
    async start() {
      server = await ground.serve(0, ground.urlOf(0), { WEBHOOKS_INSECURE: "true" });
    },
    async kill() {
      await running().stop("SIGKILL");
      // Its lease would end in 12 s.
      await query(ground.adminUrl(), "delete from leases");
    },
    async end() {
      await running().stop();
      return ground.check();
    },
  };
  return killDeliveries(service, killsOf(scale, options), print);
}
