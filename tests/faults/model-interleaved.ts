import fc from "fast-check";
import { type Tally, textOf } from "./model-commands.ts";
import { explained, type Told } from "./model-order.ts";
import { anyRequest, contendedRequest } from "./model-requests.ts";
import type { Asked } from "./model-rules.ts";
import type { Service } from "./model-service.ts";
import type { Model } from "./model-state.ts";
import { theOne } from "./model-whole.ts";

/** Of so many requests all orders are tried: no more are begun before all of them are answered. */
const most = 5;
/** How many accounts there are at first, and of each kind those with a greater id are left alone. */
const crowded = 2;
const account: Asked = {
  org: 0,
  op: "create",
  kind: "accounts",
  body: { name: "Acme" },
  query: {},
  requestId: "first",
};

/** What was begun since nothing was under way, and the models that the service may have been then. */
class UnderWay {
  readonly faults: string[] = [];
  /** Each resolves when a request is answered, or has failed. */
  readonly ends: Promise<void>[] = [];
  models: readonly Model[];
  #begun: (Omit<Told, "answer"> & Partial<Told>)[] = [];
  #moment = 0;

  constructor(model: Model) {
    this.models = [model];
  }

  get isFull(): boolean {
    return this.#begun.length >= most;
  }

  begin(service: Service, asked: Asked): void {
    const told: Omit<Told, "answer"> = { asked, begun: this.#next(), ended: Number.POSITIVE_INFINITY };
    this.#begun.push(told);
    const end = service.ask(asked).then((answer) => {
      Object.assign(told, { answer, ended: this.#next() });
      this.#settle(service);
    });
    this.ends.push(end.catch((error) => void this.faults.push(String(error))));
  }

  #next(): number {
    this.#moment += 1;
    return this.#moment;
  }

  /** When all is answered, the models go on to where an order of these requests leads them. */
  #settle(service: Service): void {
    const all = this.#begun.flatMap(({ answer, ...told }) => (answer ? { ...told, answer } : []));
    if (all.length < this.#begun.length) return;
    this.#begun = [];
    this.models = explained(this.models, all, service.commitOrder());
    if (this.models.length === 0) throw new Error(`no order explains ${JSON.stringify(all, null, 1)}`);
  }
}

/** Begins a request, and does not wait for its answer. */
class Begin implements fc.AsyncCommand<UnderWay, Service> {
  readonly #asked: Asked;
  readonly #tally: Tally;

  constructor(asked: Asked, tally: Tally) {
    this.#asked = asked;
    this.#tally = tally;
  }

  check({ isFull }: UnderWay): boolean {
    return !isFull;
  }

  async run(underWay: UnderWay, service: Service): Promise<void> {
    this.#tally["requests interleaved"] += 1;
    underWay.begin(service, service.sent(this.#asked));
  }

  toString(): string {
    return textOf(this.#asked);
  }
}

/** Sequences of requests of which each is begun while others may be under way; most are about the same rows. */
export function beginnings(tally: Tally) {
  const request = fc.oneof({ weight: 3, arbitrary: anyRequest }, { weight: 2, arbitrary: contendedRequest });
  const begin = request.map(({ id, ...asked }) => {
    return new Begin(id === undefined ? asked : { ...asked, id: Math.min(id, crowded) }, tally);
  });
  return fc.commands([begin], { maxCommands: 60, size: "max" });
}

/**
 * Begins the requests, and has the scheduler choose at each step which of them goes on, or that another begins.
 * Throws when an answer is not explained by the model; the model is then as after all of them.
 */
export async function runInterleaved(
  scheduler: fc.Scheduler,
  { model, real }: { model: Model; real: Service },
  some: Iterable<fc.AsyncCommand<UnderWay, Service>>,
): Promise<void> {
  for (let i = 0; i < crowded; i += 1) model.answer(account);
  await Promise.all(Array.from({ length: crowded }, () => real.ask(account)));
  const underWay = new UnderWay(model);
  real.scheduler = scheduler;
  try {
    await fc.scheduledModelRun(scheduler, () => ({ model: underWay, real }), some);
    await scheduler.waitFor(Promise.all(underWay.ends));
  } finally {
    real.scheduler = undefined;
  }
  const [fault] = underWay.faults;
  if (fault !== undefined) throw new Error(fault);
  Object.assign(model, await theOne(underWay.models, real));
}
