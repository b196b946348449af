import { documentOf } from "../hostile/document.ts";
import type { ControlOptions, Outcome, PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import {
  erasuresAtOnce,
  largeDeletesInBatches,
  noTimeout,
  orderOfArrival,
  wholePages,
  wholeResults,
} from "./controls/large-replies.ts";
import {
  fillLargeRows,
  type PathIds,
  postgresGround,
  type ReplyGround,
  sqliteGround,
} from "./large-replies-data.ts";
import { addSubResources, fillHeavyRows, heavyRows } from "./large-replies-heavy.ts";
import { enlargeAttributes, oldRowRows } from "./large-replies-old.ts";
import { operationRows } from "./large-replies-operations.ts";
import { largeRowRows, type ReplyRow, smallRowRows } from "./large-replies-rows.ts";
import { fillSmallRows } from "./large-replies-small.ts";
import { type TrialPlan, tryRow } from "./large-replies-trial.ts";

/** The environment variable with parts of the names of the rows to run, separated by commas. */
const chosenRows = "ACCOUNTD_TEST_ROWS";

type Plan = TrialPlan & { largeRows: number; isShort: boolean } & Partial<ControlOptions>;
const plans: Record<Scale, Plan> = {
  short: { largeRows: 150, maxMilliseconds: 3_000, maxRounds: 60, isShort: true, checksTimes: false },
  long: { largeRows: 1_000, maxMilliseconds: 12_000, maxRounds: 300, isShort: false, checksTimes: true },
};

export const largeReplies: Proof = {
  name: "large-replies",
  runsAlone: true,
  claim: "Large replies on many connections use little memory, and do not delay another organization",
  async run(program, scale, print, options) {
    const small = [...operationRows(await documentOf(program)), ...smallRowRows];
    return tryGroups(program, { ...plans[scale], ...options }, print, [
      { makeGround: sqliteGround, fill: fillLargeRows, rows: largeRowRows },
      { makeGround: sqliteGround, fill: fillSmallRows, rows: small },
      { makeGround: sqliteGround, fill: fillHeavyRows, change: addSubResources, rows: heavyRows },
      { makeGround: sqliteGround, fill: fillLargeRows, change: enlargeAttributes, rows: oldRowRows },
    ]);
  },
  controls: [orderOfArrival, wholeResults, wholePages, erasuresAtOnce, noTimeout, largeDeletesInBatches],
};

export const postgresLargeReplies: Proof = {
  name: "postgres-large-replies",
  runsAlone: true,
  claim: "The same with PostgreSQL",
  async run(program, scale, print, options) {
    const small = [...operationRows(await documentOf(program)), ...smallRowRows];
    return tryGroups(program, { ...plans[scale], ...options }, print, [
      { makeGround: postgresGround, fill: fillLargeRows, rows: largeRowRows },
      { makeGround: postgresGround, fill: fillSmallRows, rows: small },
      { makeGround: postgresGround, fill: fillHeavyRows, change: addSubResources, rows: heavyRows },
    ]);
  },
  controls: [wholeResults],
};

/** The rows of a database with the same content. */
type Group = {
  makeGround: (program: Program) => Promise<ReplyGround>;
  fill: (url: string, key: string, count: number) => Promise<PathIds>;
  /** Changes the database while no server runs. */
  change?: (ground: ReplyGround, count: number) => Promise<void>;
  rows: readonly ReplyRow[];
};

async function tryGroups(
  program: Program,
  plan: Plan,
  print: PrintLine,
  groups: readonly Group[],
): Promise<Outcome> {
  const tried = { "large replies": 0, "replies to the other organization": 0 };
  const faults: string[] = [];
  for (const { makeGround, fill, change, rows } of groups) {
    const chosen = rows.filter((row) => isChosen(row, plan));
    if (chosen.length === 0) continue;
    const ground = await makeGround(program);
    const server = await ground.serve();
    const ids = await fill(server.url, ground.key, plan.largeRows);
    await server.stop();
    await change?.(ground, plan.largeRows);
    const target = { key: ground.key, ids };
    // Also of the rows that are not chosen: an id that the database does not have is found in the short form.
    for (const row of rows) row.requests(target);
    for (const row of chosen) {
      const trial = await tryRow(row, ground, ids, plan);
      print(trial.line);
      tried["large replies"] += trial.replies;
      tried["replies to the other organization"] += trial.quietReplies;
      faults.push(...trial.faults);
      if (plan.rows && trial.faults.length === 0) return { tried, faults: [] };
    }
  }
  return { tried, faults };
}

function isChosen({ name, isShort }: ReplyRow, { rows, isShort: isShortPlan }: Plan): boolean {
  if (rows) return rows.includes(name);
  const names = Bun.env[chosenRows];
  if (names) return names.split(",").some((part) => name.includes(part));
  return !isShortPlan || isShort === true;
}
