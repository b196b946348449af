import type { Engine } from "../../db/engine.ts";
import { accountResource } from "../accounts/resource.ts";
import { createSession } from "../api-keys/sessions.ts";
import { createKey } from "../api-keys/store.ts";
import { readServerConfig } from "../config.ts";
import { fold } from "../core/folding.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { scopes } from "../core/tenant/scopes.ts";
import { TenantSnapshot } from "../core/tenant/transaction.ts";
import { dayOf, formatDay, millisecondsOfDay } from "../core/timestamps.ts";
import { findOrganization, insertOrganizationRow } from "../organizations/store.ts";
import { stopWithNpx } from "../quickstart/npx.ts";
import { storageOf } from "../server/storage.ts";
import type { Command } from "./command.ts";
import { print } from "./output.ts";
import { serverOptions } from "./serve.ts";

const organizationName = "Quickstart";
const exampleExternalId = "MMM";

export const quickstartCommand: Command = {
  name: "quickstart",
  summary: "Serve a database of sample companies, and print a key and a link to the console.",
  usage: "[--port PORT] [--host HOST] [--database FILE]",
  options: {
    ...serverOptions,
    database: {
      type: "string",
      value: "FILE|URL",
      description:
        "the database: a file, or the address of one on a server (DATABASE_URL; default data/quickstart.db)",
    },
  },
  async run({ flags }) {
    const config = readServerConfig(flags, undefined, "data/quickstart.db");
    stopWithNpx();
    // Loaded here, as in `serve`.
    const { runServer } = await import("../server/run.ts");
    await runServer({
      config,
      clock: Date.now,
      checkOrganizations: assertQuickstartDatabase,
      onReady: async (url, engine) => {
        const prepared = await prepareQuickstart(engine);
        const { key, link } = prepared;
        const { name: database } = await storageOf(config.database);
        // The browser does not send the fragment: the page posts the token and removes it from its address.
        const console = config.hasConsole ? `${url}/console#link=${link}` : undefined;
        if (flags.json) print(JSON.stringify({ url, key, database, documentation: `${url}/docs`, console }));
        else
          print(introduction({ ...prepared, url, database, console, today: formatDay(dayOf(Date.now())) }));
      },
    });
  },
};

type QuickstartState = {
  /** With all scopes: the database has sample data only. */
  key: string;
  /** The token of a link that signs in to the console once. */
  link: string;
  /** How many accounts were created now. */
  accountCount: number;
  /** The id of the account that the examples are about. */
  exampleId: number;
};

/** Throws OperatorError for a database of other organizations: the quickstart would delete their old events. */
function assertQuickstartDatabase(foldedNames: string[]): void {
  if (foldedNames.length === 0 || foldedNames.includes(fold(organizationName))) return;
  throw new OperatorError(
    "database_not_empty",
    "The database has other organizations, so it is no quickstart database. Name another with --database.",
  );
}

/** Creates the example organization and its accounts if they are missing, and a key of it. */
async function prepareQuickstart(engine: Engine): Promise<QuickstartState> {
  const existing = await findOrganization(engine, organizationName);
  const { organization, accountCount } = existing
    ? { organization: existing, accountCount: 0 }
    : await createExamples(engine);
  const organizationId = organization.id;
  const { key, link } = await engine.write(organizationId, async (tx) => {
    const expiresAt = tx.now + millisecondsOfDay;
    const created = await createKey(tx, { organizationId, name: "quickstart", expiresAt, scopes });
    return { key: created.secret, link: await createSession(tx, created.key, "link") };
  });
  if (link === undefined) throw new Error("the created key is not valid");
  const example = await engine.read((snapshot) =>
    accountResource.find(new TenantSnapshot(snapshot, organizationId), exampleExternalId),
  );
  return { key, link, accountCount, exampleId: example?.id ?? 1 };
}

/** In one transaction: a start that is interrupted stores nothing. */
async function createExamples(engine: Engine) {
  const { seedCompanies } = await import("../quickstart/seed.ts");
  return engine.write(0, async (tx) => {
    const organization = await insertOrganizationRow(tx, organizationName);
    return { organization, accountCount: await seedCompanies(tx, organization.id) };
  });
}

type Introduction = QuickstartState &
  Record<"url" | "database" | "today", string> & { console?: string | undefined };

function introduction({ url, key, database, accountCount, exampleId, console, today }: Introduction): string {
  const contents = accountCount > 0 ? `${accountCount} sample companies` : "the data of an earlier start";
  const link = console && `\nThe console. This link signs in once, within 10 minutes:\n\n  ${console}\n`;
  return `
accountd serves ${url} from ${database}: ${contents}.
${link ?? ""}
The key has all scopes and is valid for 24 hours:

  ${key}

List, search and create accounts:

  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts?pageSize=3&sortBy=mrr&sortOrder=desc'
  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts?search=energy&pageSize=3'
  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '{"name":"My first account","mrr":99.5}' ${url}/api/v1/accounts

Send a usage event, read the counts of today, the health score of that account, and the accounts with the lowest scores:

  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '{"event":"report.exported","externalId":"${exampleExternalId}","userId":"u1"}' ${url}/api/v1/events
  curl -H 'x-api-key: ${key}' '${url}/api/v1/accounts/${exampleId}/usage?from=${today}'
  curl -H 'x-api-key: ${key}' ${url}/api/v1/accounts/${exampleId}/health
  curl -H 'x-api-key: ${key}' '${url}/api/v1/health?pageSize=3'

Read every change in commit order, here the first three:

  curl -H 'x-api-key: ${key}' '${url}/api/v1/changes?after=0&limit=3'

Documentation: ${url}/docs
Stop with Ctrl-C.
`;
}
