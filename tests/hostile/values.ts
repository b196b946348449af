import type { Random } from "../support/random.ts";
import type { Schema } from "./document.ts";
import { momentText, odd, oddMoments, sound } from "./texts.ts";

/** The approximate number of requests of a series for each row that is created. */
const requestsFor: Record<string, number> = {
  accountId: 100,
  contactId: 70,
  requestId: 110,
  meetingId: 260,
  keyId: 200,
  webhookId: 1_000,
  deliveryId: 100,
};

/** Generates valid and invalid values from schemas. Ids are often those of existing rows. */
export class Values {
  readonly #random: Random;
  readonly #resolve: (schema: Schema) => Schema;
  readonly #sent: number;

  /** `sent` is the number of earlier requests, which limits the ids of existing rows. */
  constructor(random: Random, resolve: (schema: Schema) => Schema, sent: number) {
    this.#random = random;
    this.#resolve = resolve;
    this.#sent = sent;
  }

  /** A value that is valid by the schema. */
  fitting(given: Schema, name = ""): unknown {
    const random = this.#random;
    const schema = this.#resolve(given);
    if (schema.anyOf) return this.fitting(random.of(schema.anyOf), name);
    if (schema.enum) return random.of(schema.enum);
    switch (random.of([schema.type ?? "object"].flat())) {
      case "null":
        return null;
      case "boolean":
        return random.below(2) === 0;
      case "integer":
        return this.#integer(schema, name);
      case "number":
        return random.of([0, -0.5, 1250.5, 1e-9, 1e300, -1e15, random.below(1_000_000) / 100]);
      case "string":
        return this.#text(schema, name);
      case "array":
        return this.#list(schema, name);
      default:
        return this.#object(schema);
    }
  }

  /** A value that is invalid by the schema, or at its limits. */
  unfitting(given: Schema): unknown {
    const random = this.#random;
    const { type, minimum = 0, maximum = 0, maxLength = 255 } = this.#resolve(given);
    const isText = [type].flat().includes("string");
    const outside: readonly unknown[] = isText
      ? ["", " ", "\u0000", "a\ud800", "x".repeat(maxLength + 1), "😀".repeat(maxLength + 1)]
      : [minimum - 1, maximum + 1, 0.5, Number.MAX_SAFE_INTEGER + 2, 1e308, -1e308];
    const others = [null, true, 0, -1, "1", [], {}, [[[[[]]]]], { a: { b: 1 } }, ["x"]];
    return random.below(2) === 0 ? random.of(outside) : random.of([...others, ...odd, ...oddMoments]);
  }

  #integer({ minimum = -1_000, maximum = 1_000 }: Schema, name: string): number {
    const random = this.#random;
    const requestsForOne = requestsFor[name];
    if (requestsForOne !== undefined && random.below(8) > 0) {
      const rows = 8 + Math.floor(this.#sent / requestsForOne);
      // From the end of the range: the newest rows are the most likely to exist.
      return rows - random.below(Math.min(rows, 64));
    }
    if (name === "page") return 1 + random.below(20);
    return random.of([minimum, maximum, minimum + random.below(Math.min(1_000, maximum - minimum + 1))]);
  }

  #text({ format, examples = [], maxLength = 64, minLength = 0 }: Schema, name: string): string {
    const random = this.#random;
    if (format === "date") return momentText(random).slice(0, 10);
    if (format === "iso-8601-or-day" && random.below(3) === 0)
      return random.of(["today", "0d", "-30d", "99999d"]);
    if (format === "date-time" || format?.startsWith("iso-8601")) return momentText(random);
    if (format === "email")
      return `${random.of(["ada", "ÉMILE", "x.y+z", "grace"])}${random.below(500)}@x.io`;
    if (format === "uri") return random.of(["https://x.io/a.png", "http://[::1]:8/ü?q#f", "https://a.b/%20"]);
    // Few values, so that they are repeated.
    if (/external|groupId/i.test(name) && random.below(4) > 0)
      return `own-${random.below(Math.min(60, 4 + Math.floor(this.#sent / 400)))}`;
    if (random.below(8) === 0 && typeof examples[0] === "string") return examples[0];
    const text = random.of(sound);
    const whole = random.below(16) === 0 ? text.padEnd(maxLength, text || "x").slice(0, maxLength) : text;
    // The slice may have split a surrogate pair.
    return whole.isWellFormed() && whole.length >= minLength ? whole : "x";
  }

  #list({ items = {}, maxItems = 4 }: Schema, name: string): unknown[] {
    const length = this.#random.below(400) === 0 ? Math.min(maxItems, 120) : this.#random.below(4);
    return Array.from({ length }, () => this.fitting(items, name));
  }

  #object({
    properties = {},
    required = [],
    additionalProperties,
    examples: [example] = [],
  }: Schema): object {
    const random = this.#random;
    // Some objects are rarely valid otherwise, such as the settings of health scores.
    if (typeof example === "object" && example !== null && random.below(12) === 0) return example;
    // A name has one type.
    if (typeof additionalProperties === "object" && Object.keys(properties).length === 0)
      return Object.fromEntries(
        Array.from({ length: random.below(3) }, () => this.fitting(additionalProperties)).map((value) => [
          `of_${typeof value}`,
          value,
        ]),
      );
    const made = Object.entries(properties)
      .filter(([name]) => required.includes(name) || random.below(2) === 0)
      .map(([name, schema]) => [name, this.fitting(schema, name)]);
    if (random.below(12) === 0) made.push([random.of(odd), random.of(odd)]);
    return Object.fromEntries(made);
  }
}
