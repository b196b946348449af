import { type Connection, connectTo, requestOf } from "./raw-connection.ts";
import type { Batch, Outbox } from "./resend-outbox.ts";

/** What was sent and answered, by all senders. */
export type Tally = { answers: number; repeats: number; parked: number; madeLate: number };
type Task = { account: string } | { batch: Batch };
type Receipt = Record<"accepted" | "duplicates" | "parked" | "rejected" | "ignored", number>;

/** Sends one thing after another, each again and again until it is answered, over whichever connection there is. */
export class Sender {
  readonly #outbox: Outbox;
  readonly #tally: Tally;
  #task: Task | undefined;

  constructor(outbox: Outbox, tally: Tally) {
    this.#outbox = outbox;
    this.#tally = tally;
  }

  /** Until the connection ends. Returns the answers that should not be. */
  async sendUntilCut(url: string, key: string): Promise<string[]> {
    const connection = await connectTo(url);
    for (;;) {
      this.#task ??= this.#next();
      const faults = await this.#send(connection, key, this.#task);
      if (faults === undefined) return [];
      if (faults.length > 0) return faults;
    }
  }

  /** Until all is answered that it has begun to send, and all accounts are there. */
  async finish(url: string, key: string): Promise<string[]> {
    const connection = await connectTo(url);
    try {
      for (;;) {
        const account = this.#task ? undefined : this.#outbox.nextAccount(true);
        if (account !== undefined) this.#task = { account };
        if (!this.#task) return [];
        const faults = await this.#send(connection, key, this.#task);
        if (faults === undefined) throw new Error("the connection ended before all was sent");
        if (faults.length > 0) return faults;
      }
    } finally {
      connection.close();
    }
  }

  #next(): Task {
    const account = this.#outbox.nextAccount();
    if (account !== undefined) return { account };
    const { batch, isAgain } = this.#outbox.nextBatch();
    if (isAgain) this.#tally.repeats += 1;
    return { batch };
  }

  /** Undefined when no answer came: the same is sent over the next connection. */
  async #send(connection: Connection, key: string, task: Task): Promise<string[] | undefined> {
    const wasAnswered = "batch" in task && task.batch.answered;
    const answer = await connection.send(requestTextOf(key, task));
    if ("cut" in answer) {
      this.#tally.repeats += 1;
      return undefined;
    }
    const { status, text } = answer;
    if (status !== 200 && status !== 201) return [`answered ${status} ${text}`];
    this.#task = undefined;
    this.#tally.answers += 1;
    if ("batch" in task) return this.#received(task.batch, wasAnswered, text);
    this.#outbox.accounts.add(task.account);
    this.#tally.madeLate += 1;
    return [];
  }

  #received(batch: Batch, wasAnswered: boolean, text: string): string[] {
    batch.answered = true;
    // Safe: it is the answer to events.
    const { accepted, duplicates, parked } = (JSON.parse(text) as { data: Receipt }).data;
    this.#tally.parked += parked;
    const { length } = batch.events;
    if (accepted + duplicates + parked !== length) return [`of ${length} events the receipt is ${text}`];
    if (wasAnswered && duplicates !== length)
      return [`a batch that was answered is new: the receipt is ${text}`];
    return [];
  }
}

function requestTextOf(key: string, task: Task): string {
  if ("batch" in task) return requestOf(key, "POST", "/api/v1/events", { events: task.batch.events });
  const path = `/api/v1/accounts/external/${task.account}`;
  return requestOf(key, "PUT", path, { name: `Account ${task.account}` });
}
