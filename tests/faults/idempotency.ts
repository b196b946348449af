import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { ignoresKeys, storesRepliesLater } from "./controls/idempotency.ts";
import { notOnce, sendDuringFailures } from "./keyed-sender.ts";
import { restartable } from "./restarts.ts";
import { inspect, unsound } from "./stored-halves.ts";

const demand = { short: { failures: 5, retries: 100 }, long: { failures: 100, retries: 20_000 } };
/** The milliseconds between a start and a kill. */
const [shortest, longest] = [50, 250];

export const idempotency: Proof = {
  name: "idempotency",
  claim:
    "Requests that are sent again with their Idempotency-Key, across SIGKILLs, have one effect and one reply",
  run,
  controls: [ignoresKeys, storesRepliesLater],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const database = await restartable(program);
  const names = () =>
    inspect(database.database, (file) => file.query("SELECT name FROM accounts").values().flat().map(String));
  await database.start();
  const { acknowledged, failures, faults, tried } = await sendDuringFailures(
    database,
    demand[scale],
    async () => {
      await Bun.sleep(shortest + Math.random() * (longest - shortest));
      await database.kill();
      await database.start();
      return notOnce([], names());
    },
    print,
  );
  faults.push(...inspect(database.database, unsound), ...notOnce(acknowledged, names()));
  faults.push(...(await database.end()));
  return { tried: { kills: failures, ...tried }, faults: [...new Set(faults)] };
}
