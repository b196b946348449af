import type { Engine, Transaction } from "../../db/engine.ts";
import { createApp } from "../../src/app.ts";
import { changed } from "./model-broken.ts";
import { withBody, withText } from "./model-broken-requests.ts";
import type { MakeApp } from "./model-service.ts";

/** Services with an error in attributes, usage of all accounts or erasures. The name ends the phrase "where …". */
export const wrongData: Record<string, () => MakeApp> = {
  "null leaves an attribute as it is": () => (parts) =>
    withText(createApp(parts), (_, text, send) => send(text.replace(/"(plan|seats|mixed)":null,?/, ""))),
  "a list in the order of an attribute leaves out rows without it": () => (parts) =>
    changed(createApp(parts), async ({ url }, response) => {
      const { searchParams } = new URL(url);
      const [sortBy = ""] = searchParams.getAll("sortBy");
      if (response.status !== 200 || !sortBy.startsWith("attributes.")) return response;
      if (!url.includes("/contacts")) return response;
      const name = sortBy.replace("attributes.", "");
      return withBody(response, ({ data, ...rest }) => ({
        data: data.filter(
          ({ attributes }) => attributes === undefined || Object.hasOwn(attributes as object, name),
        ),
        ...rest,
      }));
    }),
  "a user of several accounts is counted once for each": () => (parts) =>
    changed(createApp(parts), async ({ url }, response) => {
      if (response.status !== 200 || !new URL(url).pathname.endsWith("/v1/usage")) return response;
      return withBody(response, ({ data, ...rest }) => ({
        data: data.map(({ users, accounts, ...row }) => ({
          ...row,
          users: users === 1 ? accounts : users,
          accounts,
        })),
        ...rest,
      }));
    }),
  "the ranking of accounts by one event counts all events": () => (parts) => {
    const app = createApp(parts);
    return {
      fetch: (request) =>
        app.fetch(new Request(request.url.replace(/(usage\/accounts\?.*)event=\w+/, "$1"), request)),
    };
  },
  "an erasure leaves the changes as they are": () => (parts) =>
    createApp({ ...parts, engine: withoutStatement(parts.engine, "erasures.setChange") }),
  "an erasure leaves the stored replies as they are": () => (parts) =>
    createApp({ ...parts, engine: withoutStatement(parts.engine, "erasures.setReply") }),
  "an erased user is counted no more": () => (parts) =>
    createApp({
      ...parts,
      engine: withTransactions(parts.engine, (tx) => ({
        insertAll: async (statement, rows) => {
          const inserted = await tx.insertAll(statement, rows);
          return inserted.map((isNew, i) => isNew && !String(rows[i]?.userId).startsWith("erased-"));
        },
      })),
    }),
};

function withoutStatement(engine: Engine, name: string): Engine {
  return withTransactions(engine, (tx) => ({
    run: async (statement, values) => {
      if (statement.name !== name) await tx.run(statement, values);
    },
  }));
}

/** The engine with other functions of its transactions. */
function withTransactions(engine: Engine, change: (tx: Transaction) => Partial<Transaction>): Engine {
  return {
    ...engine,
    write: (organizationId, fn, options) =>
      engine.write(
        organizationId,
        (tx) => {
          const changes = change(tx);
          return fn(
            new Proxy(tx, {
              get(_, name) {
                const value = Reflect.get(name in changes ? changes : tx, name);
                return typeof value === "function" ? value.bind(tx) : value;
              },
            }),
          );
        },
        options,
      ),
  };
}
