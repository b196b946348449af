import { readDatabase, readServerConfig } from "../config.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { administer } from "./administer.ts";
import { type Command, type CommandGroup, databaseOption, expectArguments } from "./command.ts";
import { print, printError } from "./output.ts";

const runJobsCommand: Command = {
  name: "jobs run",
  summary: "Run the due jobs once: in the running server of a file, or here on PostgreSQL.",
  usage: "[retention] [--now] [--database FILE]",
  options: {
    now: {
      type: "boolean",
      description:
        "the same as the name retention: trust the clock, also in the first 24 hours after a jump, or if stored times or the database are behind it",
    },
    ...databaseOption,
  },
  async run({ positionals, flags }) {
    expectArguments(positionals, 1);
    const [job] = positionals;
    if (job !== undefined && job !== "retention")
      throw new UsageError("The only job that can be named is retention. Without a name, all due jobs run.");
    const input = { isClockTrusted: flags.now === true || job === "retention" };
    const { eventDays, changeDays } = readServerConfig(flags);
    // Loaded here, as the app is in `serve`.
    const { createJobs } = await import("../jobs/jobs.ts");
    const { runDueJobs } = await import("../jobs/scheduler.ts");
    const { reactions } = await import("../reactions.ts");
    const result = await administer(readDatabase(flags), "runJobs", input, {
      needsServer: true,
      onClockDiffers: (time, serverTime) => {
        if (flags.json) return;
        const clocks = `The clock of this machine is ${formatTimestamp(time)}, that of the database ${formatTimestamp(serverTime)}.`;
        printError(`${clocks} Correct them. If the former is right, --now lets retention follow it.`);
      },
      onClockAhead: (time, newestTime) => {
        if (flags.json || input.isClockTrusted) return;
        const times = `The clock of this machine is ${formatTimestamp(time)}, the newest stored time ${formatTimestamp(newestTime)}.`;
        printError(`${times} Retention waits for 24 hours. If the clock is right, add retention.`);
      },
      contextOf: (engine) => {
        const jobs = createJobs({ engine, reactions, eventDays, changeDays });
        return { engine, runDueJobs: () => runDueJobs({ engine, jobs }) };
      },
    });
    const retentionTime = formatTimestamp(result.retentionTime);
    print(
      flags.json
        ? JSON.stringify({ retentionTime })
        : `The due jobs have run. Retention counts from ${retentionTime}.`,
    );
  },
};

export const jobCommands: CommandGroup = {
  name: "jobs",
  summary: "Run the background jobs.",
  commands: [runJobsCommand],
};
