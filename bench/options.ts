import { parseArgs } from "node:util";
import type { Span } from "./connections.ts";

export type EngineName = "sqlite" | "postgres";
export type Options = {
  engine: EngineName;
  quick: boolean;
  rounds: number;
  /** Names of works; `start` and `followed` are measurements that are not works. */
  only: string[] | undefined;
  /** The names of `only` that the command line has. */
  named: string[] | undefined;
  /** Whether not all important works and contestants are measured. */
  isPart: boolean;
  contestants: string[] | undefined;
  span: Span;
};

const usage = `bun run bench [--engine ENGINE] [--quick] [--rounds N] [--only WORK,…] [--contestants NAME,…]

  --engine        the database engine: sqlite, which is the default, or postgres
  --quick         a tenth of the data, one round, short measurements: in less than two minutes
  --rounds        the number of rounds, 3 by default; the medians are shown
  --only          works by name, such as get,list,create-64,start; important by default, or all
  --contestants   accountd,before,floor,fastify; before is the binary dist/accountd-before`;

/** The works of a run without --only, `start` and `followed`. */
const important = [
  ...["start", "get", "list", "rare-status", "search-frequent", "search-rare", "search-absent"],
  ...["create-1", "create-64", "create-64-organizations", "update", "events", "feed", "followed"],
];

/** Throws for an unknown or empty name. */
export function checkNames(kind: "work" | "contestant", names: string[] | undefined, known: string[]): void {
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Error(`There is no ${kind} named ${JSON.stringify(unknown)}. There are ${known.join(", ")}.`);
}

/** The options of the command line, or undefined for help. Throws for invalid arguments. */
export function readOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      engine: { type: "string", default: "sqlite" },
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      only: { type: "string" },
      contestants: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return undefined;
  }
  const { engine, quick } = values;
  if (engine !== "sqlite" && engine !== "postgres") throw new Error("--engine must be sqlite or postgres.");
  const rounds = Number(values.rounds ?? (quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a number from 1.");
  const named = values.only === "all" ? undefined : values.only?.split(",");
  return {
    engine,
    quick,
    rounds,
    only: values.only === "all" ? undefined : (named ?? important),
    named,
    isPart: (values.only ?? "all") !== "all" || values.contestants !== undefined,
    contestants: values.contestants?.split(","),
    span: quick ? { warmup: 0.15, seconds: 0.5 } : { warmup: 0.7, seconds: 3 },
  };
}
