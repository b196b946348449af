import type { Engine } from "../../db/engine.ts";
import { createKey } from "../api-keys/store.ts";
import { readServerConfig } from "../config.ts";
import { OperatorError } from "../core/operator-error.ts";
import { dayOf, formatDay } from "../core/timestamps.ts";
import { findOrganization, insertOrganizationRow, listOrganizations } from "../organizations/store.ts";
import { seedCompanies } from "../quickstart/seed.ts";
import { runServer } from "../server/run.ts";
import { type Command, expectArguments } from "./command.ts";
import { print } from "./output.ts";
import { serverOptions } from "./serve.ts";

const organizationName = "Quickstart";
const keyLifeMilliseconds = 24 * 3_600_000;

export const quickstartCommand: Command = {
  name: "quickstart",
  summary: "Serve a database of example companies, and print a key that is valid for 24 hours.",
  usage: "[--port PORT] [--host HOST] [--database FILE]",
  options: {
    ...serverOptions,
    database: {
      type: "string",
      value: "FILE",
      description: "the database (DATABASE_URL; default data/quickstart.db)",
    },
  },
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    const config = readServerConfig(flags, undefined, "data/quickstart.db");
    await runServer({
      config,
      clock: Date.now,
      onReady: async (url, engine) => {
        const { key, accountCount } = await prepareQuickstart(engine);
        const contents =
          accountCount > 0 ? `${accountCount} new example companies` : "the data of an earlier run";
        print(
          flags.json
            ? JSON.stringify({ url, key, database: config.database, documentation: `${url}/docs` })
            : introduction(url, key, contents, config.database, formatDay(dayOf(Date.now()))),
        );
      },
    });
  },
};

/**
 * Creates the example organization and its accounts if they are missing, and a key of it. Throws OperatorError for a
 * database of other organizations: trying out the program must not print a key to their data.
 */
async function prepareQuickstart(engine: Engine): Promise<{ key: string; accountCount: number }> {
  const existing = await findOrganization(engine, organizationName);
  if (!existing && (await listOrganizations(engine)).length > 0)
    throw new OperatorError(
      "database_not_empty",
      "The database has other organizations, so it is no quickstart database. Name another with --database.",
    );
  const { organization, accountCount } = existing
    ? { organization: existing, accountCount: 0 }
    : await createExamples(engine);
  const created = await createKey(engine, {
    organizationId: organization.id,
    name: "quickstart",
    expiresAt: engine.now() + keyLifeMilliseconds,
  });
  return { key: created.secret, accountCount };
}

/** In one transaction: a start that is interrupted stores nothing. */
function createExamples(engine: Engine) {
  return engine.write(0, async (tx) => {
    const organization = await insertOrganizationRow(tx, organizationName);
    return { organization, accountCount: await seedCompanies(tx, organization.id) };
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
