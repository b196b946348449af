import { privateKilobytes } from "../faults/memory.ts";
import type { Outcome, PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { Client } from "./client.ts";
import { emojiChangesShape, otherLettersFail, selectedMemberMissing } from "./controls/fuzz.ts";
import { documentOf } from "./document.ts";
import { fuzzed } from "./fuzzed.ts";
import { atSite, textOf } from "./site.ts";

const sizes = {
  short: { requests: 12_000, connections: 24 },
  long: { requests: 1_000_000, connections: 24 },
};
/** The maximum number of reported faults. */
const maxFaults = 20;
/** The maximal number of operations without a successful request. Short series do not have rows of each kind. */
const mostUnmet = { short: 4, long: 0 };
/** The number of memory samples in a fifth of the requests. */
const samples = 40;
/** The accepted growth in KiB, because allocators do not return all freed memory. */
const slack = 24 * 1024;

/** The short form has a fixed seed. The long form has a random one, or FUZZ_SEED. */
function seedOf(scale: Scale): number {
  if (Bun.env.FUZZ_SEED !== undefined) return Number(Bun.env.FUZZ_SEED);
  return scale === "short" ? 1 : Math.floor(Math.random() * 1_000_000_000);
}

async function run(
  program: Program,
  scale: Scale,
  printLine: PrintLine,
  { endsAtFault } = { endsAtFault: false },
): Promise<Outcome> {
  const { requests, connections } = sizes[scale];
  const seed = seedOf(scale);
  printLine(`seed ${seed}`);
  const document = await documentOf(program);
  return atSite(program, [], async ({ port, first, server, make }) => {
    // No random text is a URL that a webhook may have. The names have no address.
    for (let i = 0; i < 12; i += 1)
      await make(first, "POST", "/api/v1/webhooks", { url: `https://${i}.invalid/` });
    const faults: string[] = [];
    const counts = { requests: 0, successes: 0, refusals: 0 };
    const met = new Map<string, number>();
    const memory: number[] = [];
    const every = Math.ceil(requests / 5 / samples);
    let next = 0;

    async function lane(client: Client): Promise<void> {
      while (next < requests && faults.length < (endsAtFault ? 1 : maxFaults)) {
        const n = next++;
        if (n % every === 0) memory.push(privateKilobytes(server.pid));
        if (n > 0 && n % 100_000 === 0)
          printLine(`${n} requests, ${Math.round((memory.at(-1) ?? 0) / 1024)} MiB`);
        const { operation, sent } = fuzzed(document, first, seed, n);
        const fail = (what: string) => {
          const body = sent.body === undefined ? "" : ` ${Buffer.from(sent.body).toString().slice(0, 300)}`;
          faults.push(
            `seed ${seed}, request ${n}: ${sent.method} ${sent.path.slice(0, 300)}${body}: ${what}`,
          );
        };
        try {
          const answer = await client.send(sent);
          counts.requests++;
          if (answer.status < 300) {
            counts.successes++;
            const name = `${operation.method} ${operation.path}`;
            met.set(name, (met.get(name) ?? 0) + 1);
          } else counts.refusals++;
          const fault = document.faultOf(operation, sent, answer);
          if (answer.status >= 500) fail(textOf(answer));
          else if (fault !== undefined) fail(`the document ${fault}: ${textOf(answer)}`);
        } catch (error) {
          fail(String(error));
          if (!server.isRunning()) return;
        }
      }
    }

    const clients = Array.from({ length: connections }, () => new Client(port));
    await Promise.all(clients.map(lane));
    for (const client of clients) client.close();
    if (!server.isRunning()) faults.push(`seed ${seed}: the service ended: ${server.stderr().slice(-500)}`);
    if (/"level":"error"/.test(server.stderr()))
      faults.push(`seed ${seed}: logged ${server.stderr().slice(0, 500)}`);
    const unmet = document.promptOperations.filter(({ method, path }) => !met.has(`${method} ${path}`));
    if (faults.length === 0 && unmet.length > mostUnmet[scale])
      throw new Error(`no request succeeded at ${unmet.map(({ method, path }) => `${method} ${path}`)}`);
    if (scale === "long") faults.push(...growth(memory, printLine));
    return { tried: { ...counts, operations: met.size }, faults };
  });
}

function growth(memory: readonly number[], printLine: PrintLine): string[] {
  const middle = meanOf(memory.slice(2 * samples, 3 * samples));
  const last = meanOf(memory.slice(4 * samples));
  printLine(
    `memory in the middle ${Math.round(middle / 1024)} MiB, at the end ${Math.round(last / 1024)} MiB`,
  );
  return last <= middle * 1.1 + slack ? [] : [`memory grew from ${middle} to ${last} KiB`];
}

function meanOf(numbers: readonly number[]): number {
  if (numbers.length === 0) throw new Error("the memory was not looked at");
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

export const fuzz: Proof = {
  name: "fuzz",
  claim:
    "No request that its own document can think of makes the service fail or answer otherwise than documented",
  missing: () => (process.platform === "linux" ? undefined : "memory is read from /proc"),
  run,
  controls: [otherLettersFail, emojiChangesShape, selectedMemberMissing],
};
