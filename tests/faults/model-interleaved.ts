import fc from "fast-check";
import { type Tally, textOf } from "./model-commands.ts";
import { explained, type Told } from "./model-order.ts";
import { anyRequest, contendedRequest } from "./model-requests.ts";
import type { Asked } from "./model-rules.ts";
import type { Service } from "./model-service.ts";
import type { Model } from "./model-state.ts";
import { theOne } from "./model-whole.ts";

/** The maximum number of requests whose orders are tried. No other is sent until all of them have replies. */
const most = 5;
/** The initial number of accounts. Rows with greater ids are not changed. */
const crowded = 2;
const account: Asked = {
  org: 0,
  op: "create",
  kind: "accounts",
  body: { name: "Acme" },
  query: {},
};

/** The requests since the last time that none was open, and the possible models at that time. */
class UnderWay {
  readonly faults: string[] = [];
  /** Each resolves when a request has a reply or has failed. */
  readonly ends: Promise<void>[] = [];
  models: readonly Model[];
  #begun: (Omit<Told, "answer"> & Partial<Told>)[] = [];
  #moment = 0;
  /** Resolves when `models` are computed. */
  #settled = Promise.resolve();

  constructor(model: Model) {
    this.models = [model];
  }

  get isFull(): boolean {
    return this.#begun.length >= most;
  }

  begin(service: Service, asked: Asked): void {
    const told: Omit<Told, "answer"> = { asked, begun: this.#next(), ended: Number.POSITIVE_INFINITY };
    this.#begun.push(told);
    const end = service.ask(asked).then(async (answer) => {
      Object.assign(told, { answer, ended: this.#next() });
      await this.#settle(service);
    });
    this.ends.push(end.catch((error) => void this.faults.push(String(error))));
  }

  #next(): number {
    this.#moment += 1;
    return this.#moment;
  }

  /** When all requests have replies, computes the possible models after them. */
  async #settle(service: Service): Promise<void> {
    const all = this.#begun.flatMap(({ answer, ...told }) => (answer ? { ...told, answer } : []));
    if (all.length < this.#begun.length) return;
    this.#begun = [];
    this.#settled = this.#settled.then(async () => {
      this.models = explained(this.models, all, await service.commitOrder());
      if (this.models.length === 0) throw new Error(`no order explains ${JSON.stringify(all, null, 1)}`);
    });
    await this.#settled;
  }
}

/** Sends a request and does not wait for its reply. */
function begin(asked: Asked, tally: Tally): fc.AsyncCommand<UnderWay, Service> {
  return {
    check: ({ isFull }) => !isFull,
    async run(underWay, service) {
      tally["requests interleaved"] += 1;
      underWay.begin(service, service.sent(asked));
    },
    toString: () => textOf(asked),
  };
}

/** Sequences of concurrent requests, most of them of the same rows. */
export function beginnings(tally: Tally) {
  const request = fc.oneof({ weight: 3, arbitrary: anyRequest }, { weight: 2, arbitrary: contendedRequest });
  const begun = request.map(({ id, ...asked }) =>
    begin(id === undefined ? asked : { ...asked, id: Math.min(id, crowded) }, tally),
  );
  return fc.commands([begun], { maxCommands: 60, size: "max" });
}

/**
 * Sends the requests. At each step the scheduler chooses a request that continues, or sends the next one. Throws when
 * the model does not explain a reply. Afterwards the model has the effects of all requests.
 */
export async function runInterleaved(
  scheduler: fc.Scheduler,
  { model, real }: { model: Model; real: Service },
  some: Iterable<fc.AsyncCommand<UnderWay, Service>>,
): Promise<void> {
  for (let i = 0; i < crowded; i += 1) {
    const asked = real.sent(account);
    await real.ask(asked);
    model.answer(asked);
  }
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
