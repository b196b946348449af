import { check } from "./check.ts";
import { contestants as all, type Contestant } from "./contestants.ts";
import type { Data } from "./data.ts";
import { install } from "./install.ts";
import { messageOf } from "./message.ts";
import { checkNames, type Options } from "./options.ts";

type PrintLine = (line: string) => void;

function lineOf(error: unknown): string {
  return messageOf(error).replaceAll(/\s+/g, " ").slice(0, 500);
}

/** The selected contestants that can run here, installed if necessary, and the reason for each other one. */
export async function presentOf(
  { contestants: names }: Pick<Options, "contestants">,
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
    const missing = await contestant.missing().catch((error) => `not installed: ${lineOf(error)}`);
    if (missing === undefined) present.push(contestant);
    else print(`without ${contestant.label}: ${missing}`);
  }
  return present;
}

/** The contestants whose replies equal accountd's. Others are not measured. */
export async function alikeOf(present: Contestant[], data: Data, print: PrintLine): Promise<Contestant[]> {
  print("comparing replies …");
  const mismatches = await check(present, data);
  for (const { contestant, differences } of mismatches)
    print(`without ${contestant}, whose replies differ:\n${differences.join("\n")}`);
  return present.filter(({ name }) => !mismatches.some(({ contestant }) => contestant === name));
}

/** Only a whole run is saved in the repository: three rounds of all contestants, an earlier binary optional. */
export function nameOf({ quick, isPart, rounds }: Options, part: Contestant[]): string {
  const isThere = (contestant: Contestant) => part.some(({ name }) => name === contestant.name);
  const isWhole = all.every((contestant) => contestant.isOptional || isThere(contestant));
  if (isPart || !isWhole || (!quick && rounds < 3)) return "partial";
  return quick ? "quick" : "results";
}
