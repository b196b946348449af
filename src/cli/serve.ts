import { readServerConfig } from "../config.ts";
import { version } from "../version.ts";
import { type Command, type CommandOptions, databaseOption, expectArguments } from "./command.ts";
import { printNotice } from "./output.ts";

export const serverOptions: CommandOptions = {
  ...databaseOption,
  port: { type: "string", value: "PORT", description: "the port, 0 for any free one (PORT; default 3000)" },
  host: { type: "string", value: "HOST", description: "the address (HOST; default 127.0.0.1)" },
  "event-days": {
    type: "string",
    value: "DAYS",
    description: "days for which usage events are kept (EVENT_DAYS; 35 to 99999, default 35)",
  },
  "change-days": {
    type: "string",
    value: "DAYS",
    description: "days for which changes are kept (CHANGE_DAYS; 1 to 99999, default 400)",
  },
  "read-workers": {
    type: "string",
    value: "N",
    description: "processes for slow reads (READ_WORKERS; 1 to 64, default auto: 3, or 4 with as many cores)",
  },
  "max-waiting-bytes": {
    type: "string",
    value: "N",
    description: "bytes of all request bodies in memory (MAX_WAITING_BYTES; from 2 MiB, default 48 MiB)",
  },
  "read-connections": {
    type: "string",
    value: "N",
    description: "connections for reads, to a database on a server (READ_CONNECTIONS; 1 to 1000, default 8)",
  },
  "write-lanes": {
    type: "string",
    value: "N",
    description: "connections for writes, to a database on a server (WRITE_LANES; 1 to 1000, default 4)",
  },
  "database-timeout": {
    type: "string",
    value: "SECONDS",
    description:
      "the time limit of a statement on a server (DATABASE_TIMEOUT; default 5). Behind PgBouncer's transaction mode, set DATABASE_PREPARE=false",
  },
  "rate-limit": {
    type: "string",
    value: "N",
    description: "requests per minute of a key without its own limit (RATE_LIMIT; 1 to 1000000, default off)",
  },
  "auth-failure-limit": {
    type: "string",
    value: "N",
    description:
      "failed authentications per minute and address (AUTH_FAILURE_LIMIT; 0: no limit, default 100)",
  },
  "keep-alive": {
    type: "string",
    value: "SECONDS",
    description:
      "how long a connection may be idle after a reply (KEEP_ALIVE; 10 to 255, default 75). Proxies must keep theirs for a shorter time",
  },
  "trusted-proxies": {
    type: "string",
    value: "LIST",
    description:
      "proxies whose X-Forwarded-For and X-Forwarded-Proto are used: addresses and networks (TRUSTED_PROXIES; default: none)",
  },
  "cors-origin": {
    type: "string",
    value: "LIST",
    description:
      "origins whose pages may send events to /v1/… and /api/v1/events, or * for all (CORS_ORIGIN; default: none)",
  },
  console: {
    type: "string",
    value: "MODE",
    description: "on or off: whether the console is served at /console (CONSOLE; default on)",
  },
  "log-requests": {
    type: "boolean",
    description: "log every request, not only failures (LOG_REQUESTS=true)",
  },
};

export const serveCommand: Command = {
  name: "serve",
  summary: "Serve the API until the process is stopped (SIGTERM, SIGINT, SIGHUP).",
  usage: "[--port PORT] [--host HOST] [--database FILE]",
  options: serverOptions,
  examples: [
    "serve",
    "serve --host 0.0.0.0 --port 8080 --database /var/lib/accountd/accountd.db",
    "serve --rate-limit 600 --trusted-proxies 127.0.0.1",
    "serve --database postgres://accountd@db.internal/accountd",
  ],
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    // Loaded here, because the app takes longer to load than other commands take to run.
    const { runServer } = await import("../server/run.ts");
    await runServer({
      config: readServerConfig(flags),
      clock: Date.now,
      onReady: async (url) =>
        printNotice(flags.json ? JSON.stringify({ version, url }) : `accountd ${version} serves ${url}`),
    });
  },
};
