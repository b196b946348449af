import { expect } from "bun:test";
import {
  type Case,
  type IsolationWorld,
  type List,
  missing,
  newBodies,
  nobody,
  sameAsMissing,
} from "./isolation-world.ts";

/** Changes of the rows of each list. */
const changes: Record<List, object[]> = {
  contacts: [{ name: "Mine" }, { email: null }, { externalId: null }, { externalId: "theirs" }],
  meetings: [{ title: "Mine" }, { endAt: "2026-01-03" }, { externalId: "" }, { externalId: "theirs" }],
  requests: [{ title: "Mine" }, { status: "Open" }, { severity: 5 }, { externalId: "theirs" }],
};

/** The cases of the operations that contacts, meetings and requests share. */
export function casesOf(list: List): Record<string, Case> {
  const noun = list.slice(0, -1);
  const ofAccount = (id: number) => `/api/v1/accounts/${id}/${list}`;
  const ofExternal = (externalId: string) => `/api/v1/accounts/external/${externalId}/${list}`;
  const pathOf = (id: number) => `/api/v1/${list}/${id}`;
  const external = (externalId: string) => `/api/v1/${list}/external/${externalId}`;
  const body = newBodies[list];
  return {
    [`GET /api/v1/accounts/:accountId/${list}`]: async ({ send, theirs, mine }) => {
      for (const query of ["", "?externalId=theirs", "?search=a", "?page=2&sortBy=createdAt"])
        await sameAsMissing((id) => send("GET", ofAccount(id) + query), theirs.account, missing);
      const { data, pagination } = (await send("GET", `${ofAccount(mine.account)}?externalId=theirs`)).body;
      expect([data, pagination.total]).toEqual([[], 0]);
    },

    [`POST /api/v1/accounts/:accountId/${list}`]: async ({ send, theirs, mine, rowsOf }) => {
      const before = await rowsOf("mine");
      for (const input of [body, { ...body, externalId: "theirs" }, { ...body, externalId: "new" }])
        await sameAsMissing((id) => send("POST", ofAccount(id), input), theirs.account, missing);
      await sameAsMissing((id) => send("POST", ofAccount(id), {}), theirs.account, missing, 400);
      expect(await rowsOf("mine")).toBe(before);
      // The row of the other organization has the same external id and e-mail address: no conflict.
      await send("DELETE", pathOf(mine[list]));
      const created = await send("POST", ofAccount(mine.account), { ...body, externalId: "theirs" });
      expect([created.status, created.body.data.accountId]).toEqual([201, mine.account]);
    },

    [`GET /api/v1/accounts/external/:externalId/${list}`]: async ({ send, mine }) => {
      for (const query of ["", "?externalId=theirs", "?search=a", "?cursor="])
        await sameAsMissing((id) => send("GET", ofExternal(id) + query), "theirs", nobody);
      const { data } = (await send("GET", ofExternal("mine"))).body;
      expect(data.map(({ accountId }: { accountId: number }) => accountId)).toContain(mine.account);
    },

    [`POST /api/v1/accounts/external/:externalId/${list}`]: async ({ send, mine, rowsOf }) => {
      const before = await rowsOf("mine");
      for (const input of [body, { ...body, externalId: "theirs" }])
        await sameAsMissing((id) => send("POST", ofExternal(id), input), "theirs", nobody);
      await sameAsMissing((id) => send("POST", ofExternal(id), {}), "theirs", nobody, 400);
      expect(await rowsOf("mine")).toBe(before);
      const input = { ...body, ...("email" in body && { email: "new@x.io", userId: "new" }) };
      const created = await send("POST", ofExternal("mine"), input);
      expect([created.status, created.body.data.accountId]).toEqual([201, mine.account]);
    },

    [`GET /api/v1/${list}/:${noun}Id`]: async ({ send, theirs }) => {
      await sameAsMissing((id) => send("GET", pathOf(id)), theirs[list], missing);
    },

    [`PATCH /api/v1/${list}/:${noun}Id`]: async ({ send, theirs, mine, rowsOf }) => {
      const before = await rowsOf("mine");
      for (const change of changes[list])
        await sameAsMissing((id) => send("PATCH", pathOf(id), { ...change }), theirs[list], missing);
      const patch = (id: number) => send("PATCH", pathOf(id), { accountId: mine.account });
      await sameAsMissing(patch, theirs[list], missing, 400);
      expect(await rowsOf("mine")).toBe(before);
      const renamed = await send("PATCH", pathOf(mine[list]), { externalId: "theirs" });
      expect([renamed.status, renamed.body.data.externalId]).toEqual([200, "theirs"]);
    },

    [`DELETE /api/v1/${list}/:${noun}Id`]: async ({ send, theirs, rowsOf }) => {
      const before = await rowsOf("mine");
      await sameAsMissing((id) => send("DELETE", pathOf(id)), theirs[list], missing);
      expect(await rowsOf("mine")).toBe(before);
    },

    [`GET /api/v1/${list}/external/:externalId`]: async ({ send, mine }) => {
      await sameAsMissing((externalId) => send("GET", external(externalId)), "theirs", nobody);
      expect((await send("GET", external("mine"))).body.data.id).toBe(mine[list]);
    },

    [`DELETE /api/v1/${list}/external/:externalId`]: async ({ send, rowsOf }) => {
      const before = await rowsOf("mine");
      await sameAsMissing((externalId) => send("DELETE", external(externalId)), "theirs", nobody);
      expect(await rowsOf("mine")).toBe(before);
    },

    [`PUT /api/v1/${list}/external/:externalId`]: async (world) => {
      await putsNothingAtTheirAccount(world, external, body);
      await createsInOwnAccount(world, external, body);
    },
  };
}

async function putsNothingAtTheirAccount(
  { send, theirs, rowsOf }: IsolationWorld,
  external: (externalId: string) => string,
  body: object,
): Promise<void> {
  const before = await rowsOf("mine");
  for (const externalId of ["new", "mine", "theirs"]) {
    const byId = (accountId: number) => send("PUT", external(externalId), { ...body, accountId });
    await sameAsMissing(byId, theirs.account, missing);
    const byName = (name: string) => send("PUT", external(externalId), { ...body, accountExternalId: name });
    await sameAsMissing(byName, "theirs", nobody);
  }
  // The same reply as for an unused id: a new row requires an account.
  await sameAsMissing((externalId) => send("PUT", external(externalId), { ...body }), "theirs", nobody, 400);
  expect(await rowsOf("mine")).toBe(before);
}

async function createsInOwnAccount(
  { send, theirs, mine }: IsolationWorld,
  external: (externalId: string) => string,
  body: object,
): Promise<void> {
  const own = "email" in body && { email: "grace@x.io", userId: "grace" };
  const input = { ...body, ...own, accountExternalId: "mine" };
  const created = await send("PUT", external("theirs"), input);
  expect([created.status, created.body.data.accountId]).toEqual([201, mine.account]);
  expect(Object.values(theirs)).not.toContain(created.body.data.id);
  const repeated = await send("PUT", external("theirs"), input);
  expect([repeated.status, repeated.body]).toEqual([200, created.body]);
}

/** The list without an account in its path. */
export const requestCases: Record<string, Case> = {
  "GET /api/v1/requests": async ({ send, theirs, mine }) => {
    const list = (query: string) => send("GET", `/api/v1/requests?${query}`);
    for (const query of ["", "search=s", "status=Done", "search=s&sortBy=createdAt", "sortBy=title"]) {
      const { data, pagination } = (await list(query)).body;
      const ids = data.map(({ id }: { id: number }) => id);
      expect([query, ids, pagination.total]).toEqual([query, [mine.requests], 1]);
    }
    const { data, pagination } = (await list("externalId=theirs")).body;
    expect([data, pagination.total]).toEqual([[], 0]);
    for (const query of ["", "&search=s", "&status=Done", "&page=2"])
      await sameAsMissing((id) => list(`accountId=${id}${query}`), theirs.account, missing, 200);
  },

  "GET /api/v1/contacts": async (world) => {
    const { send, theirs } = world;
    const { data, pagination } = (await send("GET", "/api/v1/contacts?email=ada@x.io")).body;
    expect([data.map(({ id }: { id: number }) => id), pagination.total]).toEqual([[world.mine.contacts], 1]);
    for (const query of ["email=theirs@x.io", "email[in]=theirs@x.io", "externalId=theirs", "search=theirs"])
      expect((await send("GET", `/api/v1/contacts?${query}`)).body).toMatchObject({
        data: [],
        pagination: { total: 0 },
      });
    for (const query of ["", "&search=a", "&sortBy=updatedAt", "&page=2"])
      await sameAsMissing(
        (id) => send("GET", `/api/v1/contacts?accountId=${id}${query}`),
        theirs.account,
        missing,
        200,
      );
  },

  "GET /api/v1/meetings": async ({ send, theirs, mine }) => {
    const list = (query: string) => send("GET", `/api/v1/meetings?${query}`);
    for (const query of ["", "search=r", "startAt[gt]=2020-01-01", "sortBy=title", "cursor="]) {
      const { data } = (await list(query)).body;
      expect([query, data.map(({ id }: { id: number }) => id)]).toEqual([query, [mine.meetings]]);
    }
    expect((await list("externalId[in]=theirs,mine")).body.pagination.total).toBe(1);
    for (const query of ["", "&search=r", "&sortBy=endAt", "&page=2"])
      await sameAsMissing((id) => list(`accountId=${id}${query}`), theirs.account, missing, 200);
  },
};
