import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { eventWorld } from "../events/event-world.ts";
import type { Body } from "../support/world.ts";

/** A world whose first organization stores traits, with the account 1 (`acme`). */
export async function traitsWorld() {
  const here = await eventWorld();
  await setOrganizationTraits(here.engine, here.first.id, true);
  return {
    ...here,
    /** Sends the calls a millisecond after the last ones: of two values of one time, the greater one would stay. */
    async batch(...calls: Body[]) {
      here.pass(1);
      const { status, text, body } = await here.call("POST", "/v1/batch", { batch: calls });
      if (status !== 200) throw new Error(text);
      return body.data;
    },
    async accountOf(externalId: string): Promise<Body | undefined> {
      return (await here.call("GET", `/api/v1/accounts?externalId=${externalId}`)).body.data[0];
    },
    async attributesOf(externalId: string): Promise<unknown> {
      const path = `/api/v1/accounts/external/${externalId}?include=attributes`;
      return (await here.call("GET", path)).body.data.attributes;
    },
    async contacts(): Promise<Body[]> {
      const { data } = (await here.call("GET", "/api/v1/contacts?sortBy=createdAt&pageSize=100")).body;
      return data.map(({ accountId, userId, name, email }: Body) => ({ accountId, userId, name, email }));
    },
  };
}

export const group = (groupId: unknown, traits: unknown) => ({ type: "group", groupId, traits });
export const identify = (userId: unknown, traits: unknown, groupId?: unknown) => ({
  type: "identify",
  userId,
  traits,
  context: { groupId },
});
