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

class Ask implements Command {
  readonly #asked: Asked;
  readonly #tally: Tally;

  constructor(asked: Asked, tally: Tally) {
    this.#asked = asked;
    this.#tally = tally;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, service: Service): Promise<void> {
    await askOne(model, service, service.sent(this.#asked), this.#tally);
  }

  toString(): string {
    return textOf(this.#asked);
  }
}

/** Concurrent requests, whose replies must be those of some sequential order. */
class AskAtOnce implements Command {
  readonly #some: readonly Asked[];
  readonly #tally: Tally;

  constructor(some: readonly Asked[], tally: Tally) {
    this.#some = some;
    this.#tally = tally;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, service: Service): Promise<void> {
    const some = this.#some.map((asked) => service.sent(asked));
    const answers = await Promise.all(some.map((asked) => service.ask(asked)));
    const all = some.map((asked, i) => ({ asked, answer: answers[i] ?? { status: 0 }, begun: 0, ended: 1 }));
    this.#tally["requests at once"] += all.length;
    const after = await theOne(explained([model], all, await service.commitOrder()), service);
    if (!after) throw new Error(`no order explains ${JSON.stringify(all, null, 1)}`);
    Object.assign(model, after);
  }

  toString(): string {
    return `at once: ${this.#some.map(textOf).join(" | ")}`;
  }
}

/** Sends one of the last requests with an Idempotency-Key, or GETs of one row, again. */
class Resend implements Command {
  readonly #position: number;
  readonly #tally: Tally;

  constructor(position: number, tally: Tally) {
    this.#position = position;
    this.#tally = tally;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, service: Service): Promise<void> {
    const asked = service.repeatable.at(-1 - this.#position);
    if (asked) await askOne(model, service, service.again(asked), this.#tally);
  }

  toString(): string {
    return `resend ${this.#position}`;
  }
}

class Pass implements Command {
  readonly #time: number;

  constructor(time: number) {
    this.#time = time;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, service: Service): Promise<void> {
    model.now += this.#time;
    service.now = model.now;
  }

  toString(): string {
    return `${this.#time} ms pass`;
  }
}

class RunJobs implements Command {
  check(): boolean {
    return true;
  }

  async run(model: Model, service: Service): Promise<void> {
    model.runJobs();
    await service.runJobs();
  }

  toString(): string {
    return "jobs";
  }
}

class Restart implements Command {
  readonly #tally: Tally;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  check(): boolean {
    return true;
  }

  async run(_: Model, service: Service): Promise<void> {
    await service.restart();
    this.#tally.restarts += 1;
  }

  toString(): string {
    return "restart";
  }
}

/** Sequences of requests, concurrent requests and restarts. */
export function commands(tally: Tally) {
  const one = anyRequest.map((asked) => new Ask(asked, tally));
  const some = fc.array(anyRequest, { minLength: 2, maxLength: 4 });
  const many = fc
    .oneof({ weight: 3, arbitrary: some }, { weight: 1, arbitrary: repeated })
    .map((all) => new AskAtOnce(all, tally));
  const pass = anyTime.map((time) => new Pass(time));
  const resend = fc.nat(3).map((position) => new Resend(position, tally));
  const walk = walks(tally);
  const restart = fc.constant(new Restart(tally));
  // Each kind has the same probability.
  const times = (count: number, kind: fc.Arbitrary<Command>) => Array.from({ length: count }, () => kind);
  const jobs = fc.constant(new RunJobs());
  const kinds = [
    ...times(40, one),
    ...times(6, many),
    ...times(8, resend),
    ...times(4, walk),
    ...times(4, pass),
    ...times(2, jobs),
    restart,
  ];
  return fc.commands(kinds, {
    maxCommands: 60,
    size: "max",
  });
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
