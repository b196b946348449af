import { existsSync } from "node:fs";
import type { Engine } from "../../db/open.ts";
import { readConfig } from "../config.ts";
import { createKey } from "../keys/store.ts";
import { createOrganization, listOrganizations } from "../organizations/store.ts";
import { seedCompanies } from "../quickstart/seed.ts";
import { type Command, noMoreWords, print } from "./command.ts";
import { serve, serveOptions } from "./serve.ts";

const keyLife = 24 * 3_600_000;

export const quickstartCommand: Command = {
  name: "quickstart",
  summary: "Serves a database of example companies, with a key that lives for 24 hours.",
  usage: ["quickstart [--port 3000] [--host 127.0.0.1]"],
  options: {
    ...serveOptions,
    database: { type: "string", about: "FILE of the database (default data/quickstart.db)" },
  },
  async run({ words, flags }) {
    noMoreWords(words, 0);
    const database = flags.database ?? "data/quickstart.db";
    const config = readConfig({ ...flags, database });
    const isNew = !existsSync(config.database);
    await serve(config, async (url, store) => {
      const { key, accounts } = await prepare(store, Date.now());
      print(
        introduction(
          url,
          key,
          isNew ? `${accounts} companies, made now` : "your data, kept",
          config.database,
        ),
      );
    });
  },
};

/** Sees to it that there is an organization with accounts, and makes a key of it. */
async function prepare(store: Engine, now: number): Promise<{ key: string; accounts: number }> {
  const [known] = await listOrganizations(store);
  const organization = known ?? (await createOrganization(store, "Quickstart", now));
  const accounts = known ? 0 : await seedCompanies(store, organization.id, now);
  const made = await createKey(store, {
    organizationId: organization.id,
    name: "quickstart",
    expiresAt: now + keyLife,
    now,
  });
  return { key: made.secret, accounts };
}

function introduction(url: string, key: string, contents: string, database: string): string {
  return `
accountd serves ${url} from ${database}: ${contents}.

Your key, for 24 hours:

  ${key}

List, search, create:

  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts?pageSize=3&sortBy=mrr&sortOrder=desc'
  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts?search=energy&pageSize=3'
  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '{"name":"My first account","mrr":99.5}' ${url}/api/v1/accounts

Documentation: ${url}/docs
Stop with Ctrl-C.
`;
}
