import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { ignoresKeys, storesRepliesLater } from "./controls/idempotency.ts";
import { KeyedSender, notOnce } from "./keyed-sender.ts";
import { restartable } from "./restarts.ts";
import { inspect, unsound } from "./stored-halves.ts";

const senderCount = 4;
const demand = { short: { kills: 5, retries: 100 }, long: { kills: 100, retries: 20_000 } };
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
  const { kills, retries } = demand[scale];
  const database = await restartable(program);
  const senders = Array.from({ length: senderCount }, (_, i) => new KeyedSender(`s${i}`));
  const faults: string[] = [];
  const retried = () => senders.reduce((sum, sender) => sum + sender.retries, 0);
  let killCount = 0;
  let isOver = false;
  await database.start();
  const sending = Promise.all(senders.map((sender) => sender.run(database.url, database.key, () => isOver)));
  try {
    while (killCount < kills || retried() < retries) {
      await Bun.sleep(shortest + Math.random() * (longest - shortest));
      await database.kill();
      await database.start();
      killCount += 1;
      if (killCount % 20 === 0) print(`${killCount} kills, ${retried()} requests sent again`);
      faults.push(...stored());
      if (faults.length > 0) break;
    }
  } finally {
    isOver = true;
    await sending;
  }
  faults.push(...senders.flatMap((sender) => sender.faults));
  faults.push(...inspect(database.database, unsound), ...notOnce(senders, names()));
  faults.push(...(await database.end()));
  const acknowledged = senders.reduce((sum, sender) => sum + sender.acknowledged.length, 0);
  return {
    tried: { kills: killCount, "acknowledged creates": acknowledged, "requests sent again": retried() },
    faults: [...new Set(faults)],
  };

  function names(): string[] {
    return inspect(database.database, (file) =>
      file
        .query<{ name: string }, []>("SELECT name FROM accounts")
        .all()
        .map(({ name }) => name),
    );
  }

  /** The accounts that are stored more than once. */
  function stored(): string[] {
    return notOnce([], names());
  }
}
