import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { describeApp } from "../../src/app.ts";
import { TenantTransaction } from "../../src/core/tenant/transaction.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { changeWorld } from "../changes/change-world.ts";
import { type Body, beginningText } from "../support/world.ts";

afterEach(() => {
  mock.restore();
});

type World = Awaited<ReturnType<typeof changeWorld>>;

const accounts = "/api/v1/accounts";
const account = `${accounts}/1`;
const bodies = {
  contact: { name: "Ada" },
  meeting: { title: "Kickoff", startAt: "2026-01-01", endAt: "2026-01-01" },
  request: { title: "SSO" },
};

/** For each type of change, a function whose last change has this type. */
const makers: Record<string, (here: World) => Promise<unknown>> = {
  "account.created": ({ send }) => send("POST", accounts, { name: "Globex" }),
  "account.updated": ({ send }) => send("PATCH", account, { mrr: 1 }),
  "account.deleted": ({ send }) => send("DELETE", account),
  "account.health_changed": async (here) => {
    await here.send("PATCH", account, { contactActivityAt: beginningText });
    await runDueJobs(here);
  },
  ...subResourceMakers("contact", { name: "Bob" }),
  ...subResourceMakers("meeting", { title: "Review" }),
  ...subResourceMakers("request", { title: "SCIM" }),
};

function subResourceMakers(noun: keyof typeof bodies, change: Body): typeof makers {
  const create = ({ send }: World) => send("POST", `${account}/${noun}s`, bodies[noun]);
  return {
    [`${noun}.created`]: create,
    [`${noun}.updated`]: async (here) => {
      await create(here);
      await here.send("PATCH", `/api/v1/${noun}s/1`, change);
    },
    [`${noun}.deleted`]: async (here) => {
      await create(here);
      await here.send("DELETE", `/api/v1/${noun}s/1`);
    },
  };
}

/** Throws unless the last change has the type. */
async function check(type: string): Promise<void> {
  const here = await changeWorld();
  await here.send("POST", accounts, { name: "Acme" });
  const recorded = await here.recordedBy(async () => makers[type]?.(here));
  expect(recorded.at(-1)?.type).toBe(type);
}

/** Makes transactions record no change of this type. */
function dropRecords(type: string): { droppedCount: () => number } {
  let droppedCount = 0;
  const { record } = TenantTransaction.prototype;
  spyOn(TenantTransaction.prototype, "record").mockImplementation(async function (
    this: TenantTransaction,
    changes,
  ) {
    const kept = changes.filter(({ resource, action }) => `${resource}.${action}` !== type);
    droppedCount += changes.length - kept.length;
    return record.call(this, kept);
  });
  return { droppedCount: () => droppedCount };
}

test("every type of change in the OpenAPI document has a check", async () => {
  // Safe: the document's schema of a change.
  const { components } = (await describeApp()) as {
    components: { schemas: { Change: { discriminator: { mapping: Record<string, string> } } } };
  };
  const { mapping } = components.schemas.Change.discriminator;
  expect(Object.keys(mapping).toSorted()).toEqual(Object.keys(makers).toSorted());
});

for (const type of Object.keys(makers)) {
  test(`the check of ${type} passes with all records`, () => check(type));

  test(`the check of ${type} fails without this record`, async () => {
    const { droppedCount } = dropRecords(type);
    const hasFailed = await check(type).then(
      () => false,
      () => true,
    );
    expect(droppedCount()).toBeGreaterThan(0);
    expect(hasFailed).toBe(true);
  });
}
