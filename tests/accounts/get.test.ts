import { expect, test } from "bun:test";
import { beginning, beginningText, world } from "../support/world.ts";

const hour = 3_600_000;

type World = Awaited<ReturnType<typeof world>>;

function addTo({ call }: World, accountId: number) {
  async function add(list: string, body: object): Promise<number> {
    const reply = await call("POST", `/api/v1/accounts/${accountId}/${list}`, body);
    if (reply.status !== 201) throw new Error(`not added: ${reply.text}`);
    return reply.body.data.id;
  }
  return {
    contact: (name: string, email: string | null) => add("contacts", { name, email }),
    meeting: (title: string, startAt: number) =>
      add("meetings", { title, startAt: textOf(startAt), endAt: textOf(startAt + hour) }),
    request: (title: string, requestedAt: number, status = "Open", severity = 3) =>
      add("requests", { title, status, severity, requestedAt: textOf(requestedAt) }),
  };
}

function textOf(time: number): string {
  return new Date(time).toISOString();
}

test("GET returns the account's fields, and its contacts, meetings and requests", async () => {
  const here = await world();
  const { id } = await here.account({ name: "Acme", externalId: "acme", mrr: 10.5 });
  const add = addTo(here, id);
  await add.contact("Ada", "ada@x.io");
  await add.meeting("Review", beginning - hour);
  await add.request("SSO", beginning - hour);
  const reply = await here.call("GET", `/api/v1/accounts/${id}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      id,
      name: "Acme",
      externalId: "acme",
      mrr: 10.5,
      active: true,
      churned: false,
      onboarding: false,
      logoUrl: null,
      createdAt: beginningText,
      updatedAt: beginningText,
      contacts: [{ id: 1, name: "Ada", email: "ada@x.io" }],
      meetings: [{ id: 1, title: "Review", startAt: "2026-01-02T02:04:05.678Z", endAt: beginningText }],
      requests: [
        { id: 1, title: "SSO", status: "Open", severity: 3, requestedAt: "2026-01-02T02:04:05.678Z" },
      ],
    },
  });
});

test("contacts: the first 100 by id", async () => {
  const here = await world();
  const { id } = await here.account({ name: "Acme" });
  const add = addTo(here, id);
  const first = await add.contact("Contact 0", null);
  const others = await Promise.all(
    Array.from({ length: 100 }, (_, i) => add.contact(`Contact ${i + 1}`, null)),
  );
  const { contacts } = (await here.call("GET", `/api/v1/accounts/${id}`)).body.data;
  expect(contacts).toHaveLength(100);
  const ids = [first, ...others].sort((a, b) => a - b);
  expect(contacts.map((contact: { id: number }) => contact.id)).toEqual(ids.slice(0, 100));
  expect(contacts[0]).toEqual({ id: first, name: "Contact 0", email: null });
});

test("meetings: the 20 latest by startAt, without future ones", async () => {
  const here = await world();
  const { id } = await here.account({ name: "Acme" });
  const add = addTo(here, id);
  for (let i = 0; i < 25; i++) await add.meeting(`Begun ${i}`, beginning - i * hour);
  await add.meeting("Not begun", beginning + 1);
  const titles = async () =>
    (await here.call("GET", `/api/v1/accounts/${id}`)).body.data.meetings.map(
      ({ title }: { title: string }) => title,
    );
  expect(await titles()).toEqual(Array.from({ length: 20 }, (_, i) => `Begun ${i}`));
  here.pass(1);
  expect((await titles())[0]).toBe("Not begun");
});

test("requests: the 100 latest by requestedAt", async () => {
  const here = await world();
  const { id } = await here.account({ name: "Acme" });
  const add = addTo(here, id);
  await Promise.all(Array.from({ length: 102 }, (_, i) => add.request(`Request ${i}`, beginning - i * hour)));
  const { requests } = (await here.call("GET", `/api/v1/accounts/${id}`)).body.data;
  expect(requests.map(({ title }: { title: string }) => title)).toEqual(
    Array.from({ length: 100 }, (_, i) => `Request ${i}`),
  );
});
