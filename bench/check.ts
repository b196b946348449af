import { Database } from "bun:sqlite";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { contestants as all, type Contestant } from "./contestants.ts";
import { cache, type Data, fileOf, makeData } from "./data.ts";
import { factOf, isAskedForFacts, storedIn } from "./directus/check.ts";
import { type Question, questions } from "./questions.ts";
import { copyDatabase, endServers, removeDatabase, startServer } from "./server.ts";

/** A contestant whose replies differ from accountd's, with a line for each difference. */
export type Refusal = { contestant: string; differences: string[] };
export type Answer = { asked: string; said: string };

/** Sends the same requests to every contestant, on a fresh copy each, and compares the replies with accountd's. */
export async function check(contestants: Contestant[], data: Data): Promise<Refusal[]> {
  const reference = all.find(({ name }) => name === "accountd");
  if (!reference) throw new Error("there is no accountd to compare with");
  const toAsk = questions(data);
  const expected = await answersOf(reference, data, toAsk);
  const differencesOfOne = async (contestant: Contestant) => {
    if (contestant.translate) {
      const some = toAsk.filter(isAskedForFacts);
      const wanted = await factsOf(reference, data, some);
      return differencesOf(await factsOf(contestant, data, some), wanted, false);
    }
    const isFloor = contestant.name === "floor";
    // The floor does not validate input, so it gets no invalid requests.
    const own = isFloor ? toAsk.filter(({ isWrong }) => !isWrong) : toAsk;
    const wanted = isFloor ? expected.filter((_, i) => !toAsk[i]?.isWrong) : expected;
    return differencesOf(await answersOf(contestant, data, own), wanted, isFloor);
  };
  const refusals: Refusal[] = [];
  for (const contestant of contestants) {
    if (contestant.name === reference.name) continue;
    const differences = await differencesOfOne(contestant).catch((error: Error) => [error.message]);
    if (differences.length > 0) refusals.push({ contestant: contestant.name, differences });
  }
  return refusals;
}

function differencesOf(answers: Answer[], expected: Answer[], isFloor: boolean): string[] {
  return answers.flatMap(({ asked, said }, i) => {
    const [is, wanted] = [said, expected[i]?.said ?? ""].map((text) => (isFloor ? uncounted(text) : text));
    return is === wanted ? [] : [`${asked}\n  ${is}\n  instead of\n  ${wanted}`];
  });
}

/** All replies in order, and last the counted events from the database. */
function answersOf(contestant: Contestant, data: Data, toAsk: Question[]): Promise<Answer[]> {
  const moments = new Moments();
  const ask = (port: number, question: Question) => answerOf(port, question, moments);
  return onCopy(contestant, data, toAsk, ask, countedIn);
}

/** The facts in the replies of a contestant with another format, and last its stored rows. */
function factsOf(contestant: Contestant, data: Data, toAsk: Question[]): Promise<Answer[]> {
  const ask = (port: number, question: Question) => factOf(contestant, port, question);
  return onCopy(contestant, data, toAsk, ask, storedIn);
}

async function onCopy(
  contestant: Contestant,
  data: Data,
  toAsk: Question[],
  ask: (port: number, question: Question) => Promise<Answer>,
  readFile: (file: string) => Answer,
): Promise<Answer[]> {
  const folder = join(cache, `check-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, `${contestant.name}.db`);
  try {
    await copyDatabase(fileOf(data, contestant.data), copy);
    const server = await startServer(contestant, copy);
    const answers: Answer[] = [];
    try {
      for (const question of toAsk) {
        // Two changes are never in the same millisecond, so that their timestamps differ for all contestants.
        await Bun.sleep(2);
        answers.push(await ask(server.port, question));
      }
    } finally {
      await server.stop();
    }
    return [...answers, readFile(copy)];
  } finally {
    removeDatabase(copy);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answerOf(port: number, question: Question, moments: Moments): Promise<Answer> {
  const { method, path, key, body } = question;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
    ...(body && { body }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type")?.split(";")[0];
  const asked = `${method} ${path} ${body?.slice(0, 200) ?? ""}`;
  // The texts of errors differ between contestants.
  const said = response.ok ? moments.named(text) : "";
  return { asked, said: `${response.status} ${type} ${response.headers.get("location") ?? ""} ${said}` };
}

/** Replaces the timestamps since the start by their rank. */
class Moments {
  readonly #since = new Date().toISOString();
  readonly #seen: string[] = [];

  named(text: string): string {
    return text.replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (quoted, moment) => {
      if (moment < this.#since) return quoted;
      if (!this.#seen.includes(moment)) this.#seen.push(moment);
      return `"moment ${this.#seen.indexOf(moment)}"`;
    });
  }
}

/** The floor has no totals, and so no hasNextPage. */
function uncounted(said: string): string {
  return said.replace(/"total":\d+,"totalPages":\d+,"hasNextPage":\w+/, "");
}

function countedIn(file: string): Answer {
  const database = new Database(file);
  const rows = database.query(
    "SELECT organization_id, account_id, day, event, count, users FROM usage_days ORDER BY 1, 2, 3, 4",
  );
  const said = JSON.stringify(rows.values());
  database.close();
  return { asked: "usage_days", said };
}

if (import.meta.main) {
  try {
    const data = await makeData(true, console.error);
    const present: Contestant[] = [];
    for (const contestant of all.filter(({ isSlow }) => !isSlow)) {
      const missing = await contestant.missing();
      if (missing === undefined) present.push(contestant);
      else console.log(`${contestant.name}: ${missing}`);
    }
    const refusals = await check(present, data);
    for (const { contestant, differences } of refusals) console.log(contestant, differences.join("\n"));
    const same = present.length - refusals.length;
    console.log(`${same} of ${present.length} answer alike, ${questions(data).length} requests each`);
    if (refusals.length > 0) process.exitCode = 1;
  } finally {
    endServers();
  }
}
