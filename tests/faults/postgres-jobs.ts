import { query } from "./postgres-ground.ts";

/** Records the role of the job that computes scores from new events: every copy has a role of its own. */
const recordRuns = `create schema observed;
create table observed.runs (role text not null, at timestamptz not null default clock_timestamp());
create function observed.record() returns trigger language plpgsql security definer as $$
begin
  insert into observed.runs (role) values (session_user);
  return null;
end $$;
create trigger observed after insert or update on health_progress for each row execute function observed.record();
grant usage on schema observed to public`;

/** Which copies run jobs. */
export class JobRuns {
  readonly #url: string;

  private constructor(adminUrl: string) {
    this.#url = adminUrl;
  }

  static async observe(adminUrl: string): Promise<JobRuns> {
    await query(adminUrl, recordRuns);
    return new JobRuns(adminUrl);
  }

  /** The copies that ran jobs in the last `seconds`. */
  async copies(seconds: number): Promise<number[]> {
    const rows = await query(
      this.#url,
      `select distinct role from observed.runs where at > clock_timestamp() - interval '${seconds} seconds'`,
    );
    return rows.map(([role]) => Number(String(role).replace("copy_", ""))).sort();
  }

  /** Resolves with the seconds until the copy has run a job, or `max`. */
  secondsUntil(copy: number, max: number): Promise<number> {
    return this.#secondsUntil((copies) => copies.includes(copy), max);
  }

  /** Resolves with the seconds until a copy has run a job, or `max`. */
  secondsUntilAny(max: number): Promise<number> {
    return this.#secondsUntil((copies) => copies.length > 0, max);
  }

  async #secondsUntil(isReached: (copies: number[]) => boolean, max: number): Promise<number> {
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1000;
    const hasRun = async () => isReached(await this.copies(seconds()));
    // The server may be starting again.
    while (seconds() < max && !(await hasRun().catch(() => false))) await Bun.sleep(50);
    return seconds();
  }
}
