import { type Body, world } from "../support/world.ts";

/** A world with two accounts, 1 (`acme`) and 2 (`globex`), and a function for each operation on a sub-resource. */
export async function subResourceWorld(plural: string) {
  const here = await world();
  const { call } = here;
  const path = `/api/v1/${plural}`;
  await here.account({ name: "Acme", externalId: "acme" });
  await here.account({ name: "Globex", externalId: "globex" });
  const create = (body: unknown, accountId = 1) =>
    call("POST", `/api/v1/accounts/${accountId}/${plural}`, body);
  return {
    ...here,
    create,
    /** Creates a row and returns the `data` of the reply. */
    async created(body: Body, accountId = 1) {
      const reply = await create(body, accountId);
      if (reply.status !== 201) throw new Error(`not created: ${reply.text}`);
      return reply.body.data;
    },
    get: (id: number) => call("GET", `${path}/${id}`),
    patch: (id: number, changes: unknown) => call("PATCH", `${path}/${id}`, changes),
    remove: (id: number) => call("DELETE", `${path}/${id}`),
    put: (externalId: string, body: unknown, options = {}) =>
      call("PUT", `${path}/external/${encodeURIComponent(externalId)}`, body, options),
    /** The account's list. */
    list: (query = "", accountId = 1) => call("GET", `/api/v1/accounts/${accountId}/${plural}${query}`),
    /** The rows within the account. */
    embedded: async (accountId = 1) => (await call("GET", `/api/v1/accounts/${accountId}`)).body.data[plural],
  };
}

export async function contactWorld() {
  const { created: contact, ...here } = await subResourceWorld("contacts");
  return { ...here, contact };
}

export async function meetingWorld() {
  const { created: meeting, ...here } = await subResourceWorld("meetings");
  return { ...here, meeting };
}

export async function requestWorld() {
  const { created: request, ...here } = await subResourceWorld("requests");
  return { ...here, request };
}
