import { readDatabase, readServerConfig } from "../config.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { jsonOf, withClient } from "./client.ts";
import type { Command, CommandGroup } from "./command.ts";
import { databaseOption } from "./options.ts";
import { print, printError } from "./output.ts";

const runJobsCommand: Command = {
  name: "jobs run",
  summary: "Run the due jobs once: in the running server of a file, or here on PostgreSQL.",
  usage: "[retention] [--now] [--database FILE]",
  arguments: ["The name of the job"],
  optionalCount: 1,
  options: {
    now: {
      type: "boolean",
      description:
        "the same as the name retention: trust the clock, also in the first 24 hours after a jump, or if stored times or the database are behind it",
    },
    ...databaseOption,
  },
  async run({ positionals: [job], flags }) {
    if (job !== undefined && job !== "retention")
      throw new UsageError("The only job that can be named is retention. Without a name, all due jobs run.");
    const isClockTrusted = flags.now === true || job === "retention";
    const { eventDays, changeDays } = readServerConfig(flags);
    const notify = (text: string) => {
      if (!flags.json) printError(text);
    };
    const { retentionTime } = await withClient(
      readDatabase(flags),
      "server",
      (send) =>
        jsonOf<{ retentionTime: string }>(
          send("/operator/jobs", { method: "POST", body: { isClockTrusted } }),
        ),
      {
        storage: {
          onClockDiffers: (time, serverTime) =>
            notify(
              `The clock of this machine is ${formatTimestamp(time)}, the clock of the database ${formatTimestamp(serverTime)}. Correct them. If the clock of this machine is right, --now lets retention follow it.`,
            ),
          onClockAhead: (time, newestTime) => {
            if (!isClockTrusted)
              notify(
                `The clock of this machine is ${formatTimestamp(time)}, the newest stored time ${formatTimestamp(newestTime)}. Retention waits for 24 hours. If the clock is right, add retention.`,
              );
          },
        },
        async runDueJobs(engine) {
          // Loaded here, because the jobs take time to load.
          const { createJobs } = await import("../jobs/jobs.ts");
          const { runDueJobs } = await import("../jobs/scheduler.ts");
          const { reactions } = await import("../reactions.ts");
          await runDueJobs({ engine, jobs: createJobs({ engine, reactions, eventDays, changeDays }) });
        },
      },
    );
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
