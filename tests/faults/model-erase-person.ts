import fc from "fast-check";
import { askOne, type Command, type Tally, textOf } from "./model-commands.ts";
import { anyRequest } from "./model-requests.ts";
import type { Asked } from "./model-rules.ts";
import type { Service } from "./model-service.ts";
import type { Model } from "./model-state.ts";

const write = { kind: "accounts", query: {} } as const;
const accounts = ["a", "b"].map((externalId) => ({ externalId, name: "Acme" }));
const contact = { name: "Ada", email: "Ada@x.io", accountExternalId: "a" };
const events = ["a", "b"].map((externalId) => ({ externalId, event: "opened", userId: "u1" }));

/** Stores a person as a contact and as a user of two accounts, erases it, and repeats the write of the contact. */
class ErasePerson implements Command {
  readonly #org: number;
  readonly #between: readonly Asked[];
  readonly #tally: Tally;

  constructor(org: number, between: readonly Asked[], tally: Tally) {
    this.#org = org;
    this.#between = between;
    this.#tally = tally;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, service: Service): Promise<void> {
    const org = this.#org;
    const ask = async (asked: Asked) => {
      const sent = service.sent(asked);
      await askOne(model, service, sent, this.#tally);
      return sent;
    };
    await ask({ ...write, org, op: "upsert", body: { accounts } });
    const key = "erased";
    const put = await ask({
      ...write,
      org,
      op: "put",
      kind: "contacts",
      externalId: "A",
      body: contact,
      key,
    });
    await ask({ ...write, org, op: "events", body: { events } });
    for (const asked of this.#between) await ask(asked);
    await ask({ ...write, org, op: "erase", body: { email: contact.email, userId: "u1" } });
    await askOne(model, service, service.again(put), this.#tally);
  }

  toString(): string {
    return `erase a person of ${this.#org} after: ${this.#between.map(textOf).join(" | ")}`;
  }
}

export function erasures(tally: Tally): fc.Arbitrary<Command> {
  const between = fc.array(anyRequest, { maxLength: 3 });
  return fc.tuple(fc.nat(1), between).map(([org, some]) => new ErasePerson(org, some, tally));
}
