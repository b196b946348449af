import { existsSync } from "node:fs";
import { check } from "./check.ts";
import { contestants as all, type Contestant } from "./contestants.ts";
import { type Data, fileOf, timed } from "./data.ts";
import { makeDatabase } from "./directus/make.ts";
import { install, installDirectus } from "./install.ts";
import { messageOf } from "./message.ts";
import { checkNames, type Options } from "./options.ts";

type PrintLine = (line: string) => void;

function lineOf(error: unknown): string {
  return messageOf(error).replaceAll(/\s+/g, " ").slice(0, 500);
}

/** The selected contestants that can run here, installed if necessary, and the reason for each other one. */
export async function presentOf(
  { contestants: names, quick }: Pick<Options, "contestants" | "quick">,
  print: PrintLine,
  known: readonly Contestant[] = all,
): Promise<Contestant[]> {
  checkNames(
    "contestant",
    names,
    known.map(({ name }) => name),
  );
  await install().catch((error) => print(`not installed: ${lineOf(error)}`));
  const present: Contestant[] = [];
  for (const contestant of known) {
    if (names && !names.includes(contestant.name)) continue;
    const missing =
      quick && !names && contestant.isSlow
        ? "a quick run has it only when --contestants names it"
        : await missingOf(contestant, print);
    if (missing === undefined) present.push(contestant);
    else print(`without ${contestant.label}: ${missing}`);
  }
  return present;
}

async function missingOf(contestant: Contestant, print: PrintLine): Promise<string | undefined> {
  try {
    if (contestant.data === "directus") await installDirectus(print);
    return await contestant.missing();
  } catch (error) {
    return `not installed: ${lineOf(error)}`;
  }
}

/** The contestants whose replies equal accountd's, each with its data. Others are not measured. */
export async function alikeOf(present: Contestant[], data: Data, print: PrintLine): Promise<Contestant[]> {
  const contestants: Contestant[] = [];
  for (const contestant of present) if (await hasData(contestant, data, print)) contestants.push(contestant);
  print("comparing replies …");
  const mismatches = await check(contestants, data);
  for (const { contestant, differences } of mismatches)
    print(`without ${contestant}, whose replies differ:\n${differences.join("\n")}`);
  return contestants.filter(({ name }) => !mismatches.some(({ contestant }) => contestant === name));
}

/** Only a whole run is saved in the repository: three rounds of all contestants, Directus optional. */
export function nameOf({ quick, only, rounds, contestants: names }: Options, part: Contestant[]): string {
  const isThere = (contestant: Contestant) => part.some(({ name }) => name === contestant.name);
  const isWhole = all.every(
    (contestant) => contestant.isSlow || contestant.isOptional || isThere(contestant),
  );
  if (only || names || !isWhole || (!quick && rounds < 3)) return "partial";
  return quick ? "quick" : "results";
}

/** The data of all others exists already. */
async function hasData(contestant: Contestant, data: Data, print: PrintLine): Promise<boolean> {
  if (existsSync(fileOf(data, contestant.data))) return true;
  try {
    await timed(print, `the same in ${contestant.label}`, () => makeDatabase(contestant, data));
    return true;
  } catch (error) {
    print(`without ${contestant.label}: ${lineOf(error)}`);
    return false;
  }
}
