import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { ignoresKeys } from "./controls/idempotency.ts";
import { KeyedSender, notOnce } from "./keyed-sender.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";
import { type ConnectionLoss, startLossProxy } from "./postgres-proxy.ts";

const senderCount = 4;
const demand = { short: { losses: 10, retries: 100 }, long: { losses: 500, retries: 500 } };

export const postgresIdempotency: Proof = {
  name: "postgres-idempotency",
  claim:
    "Requests that are sent again with their Idempotency-Key, while replies to COMMIT are lost, have one effect and one reply",
  run,
  controls: [ignoresKeys],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const { losses, retries } = demand[scale];
  const ground = await preparePostgres(program, await durableServer());
  const proxies = [await startLossProxy(ground.urlOf(0)), await startLossProxy(ground.urlOf(1))];
  const copies = await Promise.all(proxies.map(({ url }, copy) => ground.serve(copy, url)));
  const senders = Array.from({ length: senderCount }, (_, i) => new KeyedSender(`s${i}`));
  const retried = () => senders.reduce((sum, sender) => sum + sender.retries, 0);
  let lossCount = 0;
  let isOver = false;
  let requestCount = 0;
  // Each request goes to the other copy than the one before it.
  const url = () => copies[requestCount++ % copies.length]?.url ?? "";
  const sending = Promise.all(senders.map((sender) => sender.run(url, ground.keys[0] ?? "", () => isOver)));
  try {
    while (lossCount < losses || retried() < retries) {
      const arrives = (["now", "never"] as const)[lossCount % 2] ?? "now";
      const loss: ConnectionLoss = { state: "commit", arrives, resets: "both" };
      await proxies[lossCount % proxies.length]?.lose(loss);
      lossCount += 1;
      if (lossCount % 50 === 0) print(`${lossCount} losses, ${retried()} requests sent again`);
      if (senders.some(({ faults }) => faults.length > 0)) break;
    }
  } finally {
    isOver = true;
    await sending;
  }
  const rows = await query(ground.adminUrl(), "select name from accounts");
  const contacts = await query(ground.adminUrl(), "select name from contacts");
  const acknowledged = senders.reduce((sum, sender) => sum + sender.acknowledged.length, 0);
  const names = rows.map(([name]) => String(name));
  return {
    tried: {
      "lost connections": lossCount,
      "acknowledged creates": acknowledged,
      "requests sent again": retried(),
    },
    faults: [
      ...senders.flatMap(({ faults }) => faults),
      ...notOnce(senders, names),
      ...notOnce(
        senders,
        contacts.map(([name]) => String(name)),
      ),
      ...(await ground.check()),
    ],
  };
}
