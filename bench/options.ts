import { parseArgs } from "node:util";
import type { Span } from "./connections.ts";

export type EngineName = "sqlite" | "postgres";
export type Options = {
  engine: EngineName;
  quick: boolean;
  /** Measures growth of all contestants, not only of accountd and the floor. */
  full: boolean;
  rounds: number;
  /** Names of works; `start` and `growth` are the measurements that are not works. */
  only: string[] | undefined;
  contestants: string[] | undefined;
  span: Span;
  growthSpan: Span;
};

const usage = `bun run bench [--engine ENGINE] [--quick] [--full] [--rounds N] [--only WORK,…] [--contestants NAME,…]

  --engine        the database engine: sqlite, which is the default, or postgres
  --quick         a tenth of the data, one round, short measurements: in less than two minutes
  --full          measures growth of all contestants, not only of accountd and the floor
  --rounds        the number of rounds, 3 by default; the medians are shown
  --only          works by name, such as get,list,create-64; start and growth
  --contestants   accountd,floor,…; Directus takes part in a quick run only if it is named here`;

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
      full: { type: "boolean", default: false },
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
  const { engine, quick, full } = values;
  if (engine !== "sqlite" && engine !== "postgres") throw new Error("--engine must be sqlite or postgres.");
  const rounds = Number(values.rounds ?? (quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a number from 1.");
  return {
    engine,
    quick,
    full,
    rounds,
    only: values.only?.split(","),
    contestants: values.contestants?.split(","),
    span: quick ? { warmup: 0.15, seconds: 0.5 } : { warmup: 0.7, seconds: 3 },
    growthSpan: quick ? { warmup: 0.05, seconds: 0.2 } : { warmup: 0.3, seconds: 1.5 },
  };
}
