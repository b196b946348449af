import { attemptTo } from "./receiver.ts";

// Makes one attempt in the environment of this process: `bun attempt-program.ts URL`.
const { error, status } = await attemptTo(process.argv.at(-1) ?? "", {
  names: { "hooks.test": ["127.0.0.1"] },
});
console.log(JSON.stringify({ error, status }));
process.exit();
