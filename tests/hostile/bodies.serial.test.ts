import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";

const invalid = { status: 400, code: "invalid_request" };
const tooManyValues = { status: 413, code: "too_many_values" };
const created = { status: 201 };
type Expected = { status: number; code?: string; blamed?: string };
type Sent = Pick<Probe, "body" | "headers" | "key" | "addedTime">;

test("The reply to a body of 1 MiB takes at most 50 ms longer than JSON.parse, for any content", async () => {
  const timed = (title: string, expected: Expected, body: string): Probe =>
    posted(title, expected, { body, addedTime: () => parseTime(body) });
  const invalidMember = (blamed: string) => ({ ...invalid, blamed });
  await expectAnswers([
    timed("1 MiB in one name", invalidMember("/name"), JSON.stringify({ name: marker.repeat(100_000) })),
    timed("1 MiB of blanks in one name", invalidMember("/name"), `{"name":"${" ".repeat(1_000_000)}"}`),
    timed("1 MiB of emoji in one name", invalidMember("/name"), `{"name":"${"😀".repeat(250_000)}"}`),
    timed(
      "1 MiB of at signs in an e-mail address",
      invalidMember("/contactEmail"),
      `{"name":"a","contactEmail":"${"@".repeat(1_000_000)}"}`,
    ),
    timed("60,000 unknown members", created, manyMembers('"x"')),
    timed("60,000 unknown members with escapes", created, manyMembers('"\\u0041"')),
    timed("65,000 numbers and an escape", created, manyElements("1", 65_000)),
    timed("500,000 numbers and an escape", tooManyValues, manyElements("1", 500_000)),
    timed("300,000 empty arrays and an escape", tooManyValues, manyElements("[]", 300_000)),
    timed("65,000 escapes", created, manyElements('"\\u0041"', 65_000)),
    timed("a number of 1 MiB", invalidMember("/mrr"), `{"name":"a","mrr":${"9".repeat(1_000_000)}}`),
    timed("a name repeated 65,000 times", invalidMember("/name"), `{${'"name":1,'.repeat(65_000)}"name":2}`),
  ]);
});

async function expectAnswers(probes: Probe[]): Promise<void> {
  expect(await faultsOf(await world(), probes)).toEqual([]);
}

function posted(title: string, expected: Expected, sent: Sent): Probe {
  return { title, method: "POST", path: "/api/v1/accounts", ...expected, ...sent };
}

/** The milliseconds that JSON.parse takes at present, which depends on the load of the machine. */
function parseTime(text: string): number {
  const start = performance.now();
  JSON.parse(text);
  return performance.now() - start;
}

function manyMembers(value: string): string {
  return `{"name":"Acme",${Array.from({ length: 60_000 }, (_, i) => `"${i}":${value}`)}}`;
}

function manyElements(value: string, count: number): string {
  return `{"name":"\\u0041","x":[${`${value},`.repeat(count)}1]}`;
}
