import type { Engine } from "../../db/sqlite/engine.ts";
import { createKey } from "../api-keys/store.ts";
import { readConfig } from "../config.ts";
import { dayOf, formatDay } from "../core/timestamps.ts";
import { createOrganization, findOrganization, listOrganizations } from "../organizations/store.ts";
import { seedCompanies } from "../quickstart/seed.ts";
import { type Command, expectArguments, print } from "./command.ts";
import { serve, serveOptions } from "./serve.ts";

const exampleName = "Quickstart";
const keyLife = 24 * 3_600_000;

export const quickstartCommand: Command = {
  name: "quickstart",
  summary: "Serves a database of example companies, with a key that lives for 24 hours.",
  usage: ["quickstart [--port 3000] [--host 127.0.0.1]"],
  options: {
    ...serveOptions,
    database: { type: "string", about: "FILE of the database (DATABASE_URL; default data/quickstart.db)" },
  },
  async run({ words, flags }) {
    expectArguments(words, 0);
    const config = readConfig(flags, undefined, "data/quickstart.db");
    await serve(config, async (url, store) => {
      const { key, accounts } = await prepare(store, Date.now());
      const contents = accounts > 0 ? `${accounts} companies, made now` : "your data, kept";
      print(
        flags.json
          ? JSON.stringify({ url, key, database: config.database, documentation: `${url}/docs` })
          : introduction(url, key, contents, config.database, formatDay(dayOf(Date.now()))),
      );
    });
  },
};

/**
 * Sees to it that there is the example organization with its accounts, and makes a key of it. Throws for a
 * database of other organizations: a key of theirs is not printed by trying the program out.
 */
async function prepare(store: Engine, now: number): Promise<{ key: string; accounts: number }> {
  const known = await findOrganization(store, exampleName);
  if (!known && (await listOrganizations(store)).length > 0)
    throw new Error(
      "The database is no quickstart's: it has other organizations. Name another with --database.",
    );
  const { organization, accounts } = known
    ? { organization: known, accounts: 0 }
    : await makeExamples(store, now);
  const made = await createKey(store, {
    organizationId: organization.id,
    name: "quickstart",
    expiresAt: now + keyLife,
    now,
  });
  return { key: made.secret, accounts };
}

/** All in one transaction, so that a start that is cut off leaves nothing for the next one to take for data. */
function makeExamples(store: Engine, now: number) {
  return store.write(async (writer) => {
    const inside: Engine = {
      first: (statement, values) => writer.first(statement, values),
      all: (statement, values) => writer.all(statement, values),
      write: (work) => work(writer),
      ping: () => store.ping(),
      close: () => store.close(),
    };
    const organization = await createOrganization(inside, exampleName, now);
    return { organization, accounts: await seedCompanies(inside, organization.id, now) };
  });
}

function introduction(url: string, key: string, contents: string, database: string, today: string): string {
  return `
accountd serves ${url} from ${database}: ${contents}.

Your key, for 24 hours:

  ${key}

List, search, create:

  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts?pageSize=3&sortBy=mrr&sortOrder=desc'
  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts?search=energy&pageSize=3'
  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '{"name":"My first account","mrr":99.5}' ${url}/api/v1/accounts

Send a usage event, see it counted, ask how healthy that account is and why, and who needs attention:

  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '{"event":"report.exported","externalId":"MMM","userId":"u1"}' ${url}/api/v1/events
  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts/1/usage?from=${today}'
  curl -H 'x-api-key: ${key}' ${url}/api/v1/accounts/1/health
  curl -H 'x-api-key: ${key}' '${url}/api/v1/health?pageSize=3'

Documentation: ${url}/docs
Stop with Ctrl-C.
`;
}
