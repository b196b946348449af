import { copy } from "./copy-world.ts";

/** Copies in batches of three rows, and kills its own process after a number of rows were read. */
const [from = "", to = "", maxRows = ""] = Bun.argv.slice(2);
await copy(from, to, {
  batchRows: 3,
  onProgress: (readCount) => {
    if (readCount >= Number(maxRows)) process.kill(process.pid, "SIGKILL");
  },
});
