import { join } from "node:path";
import type { Span } from "./connections.ts";
import type { Contestant } from "./contestants.ts";
import type { Data } from "./data.ts";
import { type Job, startLoad } from "./load.ts";
import { messageOf } from "./message.ts";
import type { Options } from "./options.ts";
import type { Measured, Single, SingleName } from "./results.ts";
import { copyDatabase, removeDatabase, type Server, startServer } from "./server.ts";
import { timeStart } from "./start.ts";
import { figure } from "./table.ts";
import type { Figures } from "./tally.ts";
import { type Work, works } from "./work.ts";

export type Bench = {
  data: Data;
  contestants: Contestant[];
  options: Options;
  /** The folder of the copies of the databases. */
  folder: string;
  print: (line: string) => void;
};
export type Outcome = { measured: Measured[]; singles: Single[] };

const startCount = 5;
const idleAfter = 2_000;

/** Runs all works of all contestants, one at a time, in each round. Every second round is in reverse order. */
export async function measure(bench: Bench): Promise<Outcome> {
  const { contestants, options, data } = bench;
  const outcome: Outcome = { measured: [], singles: [] };
  const load = startLoad(data);
  try {
    for (let round = 1; round <= options.rounds; round++)
      for (const contestant of round % 2 === 1 ? contestants : contestants.toReversed()) {
        const turn = new Turn(bench, contestant, round, load.drive, outcome);
        await turn.main();
      }
  } finally {
    load.end();
  }
  return outcome;
}

/** The first work after a start has a longer warm-up, because code is still being compiled. */
export function warmer({ warmup, seconds }: Span, isFirst: boolean): Span {
  return { warmup: isFirst ? warmup + 1 : warmup, seconds };
}

/** The rate of items, the latencies and the failures. */
export function describeFigures({ failed, perSecond, p50, p99 }: Figures, { each = 1 }: Work): string {
  const failures = Object.entries(failed).map(([status, count]) => `, FAILED ${count} × ${status}`);
  const speed = `${figure(perSecond * each)}/s`;
  return `${speed.padStart(10)}  p50 ${figure(p50)} ms, p99 ${figure(p99)} ms${failures}`;
}

/** Throws unless the first reply of a list has its number of rows: an empty page would be the fastest. */
export async function checkRows(
  port: number,
  { streams, rows }: Pick<Work, "streams" | "rows">,
): Promise<void> {
  for (const { request } of streams) {
    const { path, key } = request(0);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": key } });
    const { data } = (await response.json()) as { data?: unknown[] };
    if (data?.length !== rows) throw new Error(`a reply has ${data?.length} rows instead of ${rows}`);
  }
}

type Drive = ReturnType<typeof startLoad>["drive"];

/** Runs one contestant in one round. */
class Turn {
  readonly #bench: Bench;
  readonly #contestant: Contestant;
  readonly #round: number;
  readonly #drive: Drive;
  readonly #outcome: Outcome;

  constructor(bench: Bench, contestant: Contestant, round: number, drive: Drive, outcome: Outcome) {
    this.#bench = bench;
    this.#contestant = contestant;
    this.#round = round;
    this.#drive = drive;
    this.#outcome = outcome;
  }

  /** On a fresh copy, because the work writes. */
  async main(): Promise<void> {
    const { data, folder, options } = this.#bench;
    const wanted = works(data).filter((work) => this.#isWanted(work));
    const isTimed = options.only?.includes("start") ?? true;
    if (wanted.length === 0 && !isTimed) return;
    const copy = join(folder, `${this.#contestant.name}.db`);
    await copyDatabase(data[this.#contestant.data], copy);
    if (isTimed && this.#round === 1) for (let i = 0; i < startCount; i++) await this.#timeStart(copy);
    await this.#serve(copy, wanted, async (server) => {
      if (isTimed) {
        await Bun.sleep(idleAfter);
        this.#note("idle", server.memory()?.now);
      }
      for (const work of wanted) await this.#work(server, work, warmer(options.span, work === wanted[0]));
      if (options.isPart) return;
      this.#note("after", server.memory()?.now);
      this.#note("peak", server.memory()?.peak);
    });
    removeDatabase(copy);
  }

  async #serve(copy: string, wanted: Work[], use: (server: Server) => Promise<void>): Promise<void> {
    let server: Server;
    try {
      server = await startServer(this.#contestant, copy);
    } catch (error) {
      for (const work of wanted) this.#refuse(work, error);
      return;
    }
    try {
      await use(server);
    } finally {
      await server.stop();
    }
  }

  async #work({ port }: Server, work: Work, span: Span): Promise<void> {
    const { print, options } = this.#bench;
    const { name: contestant } = this.#contestant;
    const job: Job = { port, work: work.name, ...span };
    try {
      if (work.rows !== undefined) await checkRows(port, work);
      const figures = await this.#drive(job);
      this.#outcome.measured.push({ round: this.#round, contestant, work: work.name, figures });
      const start = `${this.#round}/${options.rounds} ${contestant.padEnd(15)} ${work.name.padEnd(24)}`;
      print(start + describeFigures(figures, work));
    } catch (error) {
      this.#refuse(work, error);
    }
  }

  #refuse(work: Work, error: unknown): void {
    const failure = messageOf(error);
    const { name: contestant } = this.#contestant;
    this.#outcome.measured.push({ round: this.#round, contestant, work: work.name, failure });
    this.#bench.print(`${this.#round} ${contestant} ${work.name}: ${failure}`);
  }

  async #timeStart(copy: string): Promise<void> {
    const { data, print } = this.#bench;
    try {
      const { reply, list } = await timeStart(this.#contestant, copy, data.organizations.large);
      this.#note("start", reply);
      this.#note("start-list", list);
    } catch (error) {
      print(`${this.#round} ${this.#contestant.name} start: ${messageOf(error)}`);
    }
  }

  #note(name: SingleName, value: number | undefined): void {
    if (value !== undefined) this.#outcome.singles.push({ name, contestant: this.#contestant.name, value });
  }

  #isWanted({ name, accountdOnly = false, isNew = false }: Work): boolean {
    const { only } = this.#bench.options;
    const contestant = this.#contestant;
    if (accountdOnly && !["accountd", "before"].includes(contestant.name)) return false;
    if (isNew && contestant.name !== "accountd") return false;
    return only?.includes(name) ?? true;
  }
}
