import { Random, scramble } from "../support/random.ts";
import type { Sent } from "./client.ts";
import type { Document, Operation, Parameter } from "./document.ts";
import { odd, oddParameters } from "./texts.ts";
import { Values } from "./values.ts";

/** A generated request and its operation. */
export type Fuzzed = { operation: Operation; sent: Sent };

/** A path with dot segments is another path. */
const oddSegments = oddParameters.filter((one) => !/^(?:\.|%2e)+$/.test(one));
const tooLarge = Buffer.alloc(1_048_577, 0x20);

/**
 * The n-th request of a series. It depends only on the seed and n, so that it can be repeated. Most of its parts are
 * valid by the document; usually one or more are not.
 */
export function fuzzed(document: Document, key: string, seed: number, n: number): Fuzzed {
  const random = new Random(scramble(scramble(seed) ^ n));
  const values = new Values(random, (schema) => document.resolve(schema), n);
  const operation = pick(document.promptOperations, random);
  const path = pathOf(operation, random, values);
  const isHead = operation.method === "GET" && random.below(8) === 0;
  const body = bodyOf(operation, random, values);
  return {
    operation,
    sent: {
      method: isHead ? "HEAD" : operation.method,
      path: path + queryOf(operation, random, values),
      headers: headersOf(key, random, body !== undefined),
      body,
    },
  };
}

/**
 * Deletes are rare, so that rows exist; deletes of accounts, which include the sub-resources, are the rarest. Creates of
 * accounts are rare to limit their number.
 */
function pick(operations: readonly Operation[], random: Random): Operation {
  const one = random.of(operations);
  return random.below(rarityOf(one)) > 0 ? random.of(operations) : one;
}

function rarityOf({ method, path }: Operation): number {
  if (method === "DELETE") return path.startsWith("/api/v1/accounts") ? 8 : 2;
  // An erasure reads all changes and replies, and rests after each step.
  if (path.endsWith("/erasures")) return 8;
  return method === "POST" && path.endsWith("/accounts") ? 2 : 1;
}

function pathOf({ path, parameters }: Operation, random: Random, values: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // Key 1 is that of the requests: no request may revoke it, also as "01".
    const isOwnKey = (text: string) => name === "keyId" && Number(text) === 1;
    if (random.below(12) === 0) return random.of(oddSegments.filter((one) => !isOwnKey(one)));
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    const value = parameter ? values.fitting(parameter.schema, name) : name;
    const text = String(name === "keyId" ? Number(value) + 2 : value);
    return /^\.{0,2}$/.test(text) ? "x" : encodeURIComponent(text);
  });
}

/** Some query parameters. Of many, about two: with more, nearly every request is invalid. */
function chosen(parameters: readonly Parameter[], random: Random): Parameter[] {
  const inQuery = parameters.filter((one) => one.in === "query");
  return inQuery.filter(() => random.below(Math.max(3, Math.ceil(inQuery.length / 2))) === 0);
}

function queryOf({ parameters }: Operation, random: Random, values: Values): string {
  const given = chosen(parameters, random);
  const pairs = given.map((one) => pairOf(one, random, values));
  if (random.below(24) === 0) pairs.push(`${random.of(oddParameters)}=${random.of(oddParameters)}`);
  if (random.below(24) === 0 && pairs[0] !== undefined) pairs.push(pairs[0]);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function pairOf({ name, schema }: Parameter, random: Random, values: Values): string {
  if (random.below(8) === 0) return `${name}=${random.of(oddParameters)}`;
  // The members of an object are parameters of their own, such as `attributes.plan[gt]`.
  if (schema.type === "object")
    return `${name}.plan${random.of(["", "[gt]", ".gt", "[in]", ".in"])}=${random.of(["pro", "5", "none", "true"])}`;
  return `${name}=${encodeURIComponent(String(values.fitting(schema, name)))}`;
}

function bodyOf({ body }: Operation, random: Random, values: Values): Sent["body"] {
  if (!body) return random.below(40) === 0 ? "{}" : undefined;
  const value = values.fitting(body);
  const kind = random.below(100);
  if (kind < 55) return JSON.stringify(value);
  if (kind < 90) return JSON.stringify(spoiled(value, random, () => values.unfitting({})));
  const text = JSON.stringify(value);
  const cut = random.below(text.length);
  const broken = [
    ...["", "null", "[]", "1", '"x"', `${text}}`, "[".repeat(100), `${'{"a":'.repeat(9)}1${"}".repeat(9)}`],
    ...[text.slice(0, cut), `${text.slice(0, cut)}\\${text.slice(cut)}`, text.replace(":", ":1e400,")],
    ...[Buffer.concat([Buffer.from(text.slice(0, cut)), Buffer.from([0xff, 0xc0]), Buffer.from("}")])],
  ];
  return random.below(60) === 0 ? tooLarge : random.of(broken);
}

/** The value with one part replaced. */
function spoiled(value: unknown, random: Random, other: () => unknown): unknown {
  if (Array.isArray(value) && value.length > 0) {
    const at = random.below(value.length);
    return value.map((item, i) => (i === at ? spoiled(item, random, other) : item));
  }
  if (typeof value !== "object" || value === null || random.below(10) === 0) return other();
  const members = Object.entries(value);
  const at = random.below(members.length + 1);
  const changed = members.map(([name, member], i) => [
    name,
    i === at ? spoiled(member, random, other) : member,
  ]);
  if (at === members.length) changed.push([random.of(odd), other()]);
  // Sometimes a member is missing.
  return Object.fromEntries(random.below(6) === 0 ? changed.slice(1) : changed);
}

function headersOf(key: string, random: Random, hasBody: boolean): Record<string, string> {
  const ways = [{ "x-api-key": key }, { authorization: `Bearer ${key}` }];
  const way =
    random.below(60) === 0
      ? { "x-api-key": random.of(["", "x", `${key}0`, key.toLowerCase()]) }
      : random.of(ways);
  const isOdd = random.below(60) === 0;
  const kind = isOdd ? random.of(["text/plain", "", "application/jsonx"]) : "application/json";
  return {
    ...way,
    ...(hasBody && { "content-type": kind }),
    ...(random.below(20) === 0 && { "x-request-id": random.of(["a", "x".repeat(65), "é", "{}", "a b"]) }),
    ...(random.below(20) === 0 && {
      prefer: random.of(["handling=strict", 'a=", handling="strict', "handling=", '"']),
    }),
    ...(random.below(120) === 0 && { "content-encoding": random.of(["gzip", "identity"]) }),
  };
}
