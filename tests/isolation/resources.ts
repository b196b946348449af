import { expect } from "bun:test";
import { type Case, type List, missing, newBodies, nobody, type Scene, sameAsMissing } from "./scene.ts";

/** Changes of the rows of each list that replies show. */
const changes: Record<List, object[]> = {
  contacts: [{ name: "Mine" }, { email: null }, { externalId: null }, { externalId: "theirs" }],
  meetings: [{ title: "Mine" }, { endAt: "2026-01-03" }, { externalId: "" }, { externalId: "theirs" }],
  requests: [{ title: "Mine" }, { status: "Open" }, { severity: 5 }, { externalId: "theirs" }],
};

/** The cases of the operations that contacts, meetings and requests share. */
export function casesOf(list: List): Record<string, Case> {
  const noun = list.slice(0, -1);
  const ofAccount = (id: number) => `/api/v1/accounts/${id}/${list}`;
  const one = (id: number) => `/api/v1/${list}/${id}`;
  const external = (externalId: string) => `/api/v1/${list}/external/${externalId}`;
  const body = newBodies[list];
  return {
    [`GET /api/v1/accounts/:accountId/${list}`]: async ({ ask, theirs, mine }) => {
      for (const query of ["", "?externalId=theirs", "?search=a", "?page=2&sortBy=createdAt"])
        await sameAsMissing((id) => ask("GET", ofAccount(id) + query), theirs.account, missing);
      const { data, pagination } = (await ask("GET", `${ofAccount(mine.account)}?externalId=theirs`)).body;
      expect([data, pagination.total]).toEqual([[], 0]);
    },

    [`POST /api/v1/accounts/:accountId/${list}`]: async ({ ask, theirs, mine, rowsOf }) => {
      const before = rowsOf("mine");
      for (const given of [body, { ...body, externalId: "theirs" }, { ...body, externalId: "new" }])
        await sameAsMissing((id) => ask("POST", ofAccount(id), given), theirs.account, missing);
      await sameAsMissing((id) => ask("POST", ofAccount(id), {}), theirs.account, missing, 400);
      expect(rowsOf("mine")).toBe(before);
      // The row of the other organization has the same external id and e-mail address: no conflict.
      await ask("DELETE", one(mine[list]));
      const made = await ask("POST", ofAccount(mine.account), { ...body, externalId: "theirs" });
      expect([made.status, made.body.data.accountId]).toEqual([201, mine.account]);
    },

    [`GET /api/v1/${list}/:${noun}Id`]: async ({ ask, theirs }) => {
      await sameAsMissing((id) => ask("GET", one(id)), theirs[list], missing);
    },

    [`PATCH /api/v1/${list}/:${noun}Id`]: async ({ ask, theirs, mine, rowsOf }) => {
      const before = rowsOf("mine");
      for (const change of changes[list])
        await sameAsMissing((id) => ask("PATCH", one(id), { ...change }), theirs[list], missing);
      const nothing = (id: number) => ask("PATCH", one(id), { accountId: mine.account });
      await sameAsMissing(nothing, theirs[list], missing, 400);
      expect(rowsOf("mine")).toBe(before);
      const renamed = await ask("PATCH", one(mine[list]), { externalId: "theirs" });
      expect([renamed.status, renamed.body.data.externalId]).toEqual([200, "theirs"]);
    },

    [`DELETE /api/v1/${list}/:${noun}Id`]: async ({ ask, theirs, rowsOf }) => {
      const before = rowsOf("mine");
      await sameAsMissing((id) => ask("DELETE", one(id)), theirs[list], missing);
      expect(rowsOf("mine")).toBe(before);
    },

    [`GET /api/v1/${list}/external/:externalId`]: async ({ ask, mine }) => {
      await sameAsMissing((externalId) => ask("GET", external(externalId)), "theirs", nobody);
      expect((await ask("GET", external("mine"))).body.data.id).toBe(mine[list]);
    },

    [`DELETE /api/v1/${list}/external/:externalId`]: async ({ ask, rowsOf }) => {
      const before = rowsOf("mine");
      await sameAsMissing((externalId) => ask("DELETE", external(externalId)), "theirs", nobody);
      expect(rowsOf("mine")).toBe(before);
    },

    [`PUT /api/v1/${list}/external/:externalId`]: async (scene) => {
      await putsNothingAtTheirAccount(scene, external, body);
      await createsItsOwn(scene, external, body);
    },
  };
}

async function putsNothingAtTheirAccount(
  { ask, theirs, rowsOf }: Scene,
  external: (externalId: string) => string,
  body: object,
): Promise<void> {
  const before = rowsOf("mine");
  for (const externalId of ["new", "mine", "theirs"]) {
    const byId = (accountId: number) => ask("PUT", external(externalId), { ...body, accountId });
    await sameAsMissing(byId, theirs.account, missing);
    const byName = (name: string) => ask("PUT", external(externalId), { ...body, accountExternalId: name });
    await sameAsMissing(byName, "theirs", nobody);
  }
  // The same reply as for an unused id: a new row requires an account.
  await sameAsMissing((externalId) => ask("PUT", external(externalId), { ...body }), "theirs", nobody, 400);
  expect(rowsOf("mine")).toBe(before);
}

async function createsItsOwn(
  { ask, theirs, mine }: Scene,
  external: (externalId: string) => string,
  body: object,
): Promise<void> {
  const given = { ...body, ...("email" in body && { email: "grace@x.io" }), accountExternalId: "mine" };
  const made = await ask("PUT", external("theirs"), given);
  expect([made.status, made.body.data.accountId]).toEqual([201, mine.account]);
  expect(Object.values(theirs)).not.toContain(made.body.data.id);
  const again = await ask("PUT", external("theirs"), given);
  expect([again.status, again.body]).toEqual([200, made.body]);
}

/** The list without an account in its path. */
export const requestCases: Record<string, Case> = {
  "GET /api/v1/requests": async ({ ask, theirs, mine }) => {
    const listed = (query: string) => ask("GET", `/api/v1/requests?${query}`);
    for (const query of ["", "search=s", "status=Done", "search=s&sortBy=createdAt", "sortBy=title"]) {
      const { data, pagination } = (await listed(query)).body;
      const ids = data.map(({ id }: { id: number }) => id);
      expect([query, ids, pagination.total]).toEqual([query, [mine.requests], 1]);
    }
    const { data, pagination } = (await listed("externalId=theirs")).body;
    expect([data, pagination.total]).toEqual([[], 0]);
    for (const query of ["", "&search=s", "&status=Done", "&page=2"])
      await sameAsMissing((id) => listed(`accountId=${id}${query}`), theirs.account, missing, 200);
  },
};
