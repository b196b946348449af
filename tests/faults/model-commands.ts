import fc from "fast-check";
import { explained } from "./model-order.ts";
import { anyRequest, anyTime, repeated } from "./model-requests.ts";
import type { Asked } from "./model-rules.ts";
import type { Service } from "./model-service.ts";
import type { Answer, Model } from "./model-state.ts";
import { walks } from "./model-walk.ts";
import { theOne } from "./model-whole.ts";

/** The number of commands of each kind. */
export type Tally = {
  sequences: number;
  requests: number;
  refusals: number;
  "requests at once": number;
  "requests interleaved": number;
  restarts: number;
  replays: number;
  "pages by cursor": number;
};
export type Command = fc.AsyncCommand<Model, Service>;

/** A command that can always run, and the text that describes it in a counterexample. */
export function command(text: string, run: Command["run"]): Command {
  return { check: () => true, run, toString: () => text };
}

/** Concurrent requests, whose replies must be those of some sequential order. */
async function askAtOnce(requests: readonly Asked[], model: Model, service: Service): Promise<void> {
  const some = requests.map((asked) => service.sent(asked));
  const answers = await Promise.all(some.map((asked) => service.ask(asked)));
  const all = some.map((asked, i) => ({ asked, answer: answers[i] ?? { status: 0 }, begun: 0, ended: 1 }));
  const after = await theOne(explained([model], all, await service.commitOrder()), service);
  if (!after) throw new Error(`no order explains ${JSON.stringify(all, null, 1)}`);
  Object.assign(model, after);
}

/** Sequences of requests, concurrent requests and restarts. */
export function commands(tally: Tally) {
  const one = anyRequest.map((asked) =>
    command(
      textOf(asked),
      async (model, service) => void (await askOne(model, service, service.sent(asked), tally)),
    ),
  );
  const some = fc.array(anyRequest, { minLength: 2, maxLength: 4 });
  const many = fc.oneof({ weight: 3, arbitrary: some }, { weight: 1, arbitrary: repeated }).map((all) =>
    command(`at once: ${all.map(textOf).join(" | ")}`, async (model, service) => {
      tally["requests at once"] += all.length;
      await askAtOnce(all, model, service);
    }),
  );
  const pass = anyTime.map((time) =>
    command(`${time} ms pass`, async (model, service) => {
      model.now += time;
      service.now = model.now;
    }),
  );
  // One of the last requests with an Idempotency-Key, or GETs of one row.
  const resend = fc.nat(3).map((position) =>
    command(`resend ${position}`, async (model, service) => {
      const asked = service.repeatable.at(-1 - position);
      if (asked) await askOne(model, service, service.again(asked), tally);
    }),
  );
  const restart = command("restart", async (_, service) => {
    await service.restart();
    tally.restarts += 1;
  });
  const jobs = command("jobs", async (model, service) => {
    model.runJobs();
    await service.runJobs();
  });
  // Each kind has the same probability.
  const times = (count: number, kind: fc.Arbitrary<Command>) => Array.from({ length: count }, () => kind);
  const kinds = [
    ...times(40, one),
    ...times(6, many),
    ...times(8, resend),
    ...times(4, walks(tally)),
    ...times(4, pass),
    ...times(2, fc.constant(jobs)),
    fc.constant(restart),
  ];
  return fc.commands(kinds, { maxCommands: 60, size: "max" });
}

/** Sends a request, and throws when the model has another reply. */
export async function askOne(model: Model, service: Service, asked: Asked, tally: Tally): Promise<Answer> {
  const answer = await service.ask(asked);
  tally.requests += 1;
  if (answer.status >= 400) tally.refusals += 1;
  if (answer.isReplayed) tally.replays += 1;
  const wanted = model.answer(asked);
  if (!Bun.deepEquals(wanted, answer))
    throw new Error(
      `${textOf(asked)} is answered\n${JSON.stringify(answer)}\nand not\n${JSON.stringify(wanted)}`,
    );
  return answer;
}

export function textOf(asked: Asked): string {
  const { org, op, kind, id, externalId, body, query, operations, isAtomic, ...options } = asked;
  const place = externalId === undefined ? (id ?? "") : `'${externalId}'`;
  const parts = operations ? `${isAtomic ? "all of" : "each of"} [${operations.map(textOf).join("; ")}]` : "";
  const { requestId: _, ...others } = options;
  return `${["First", "Second"][org]}: ${op} ${kind} ${place} ${JSON.stringify(body)} ${new URLSearchParams(query)} ${parts} ${Object.keys(others).length > 0 ? JSON.stringify(others) : ""}`;
}
