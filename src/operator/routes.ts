import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Engine } from "../../db/engine.ts";
import { countAccounts } from "../account-counts/counts.ts";
import { presentKey } from "../api-keys/model.ts";
import { createKey, type Key, listKeys, renameKey, revokeKey } from "../api-keys/store.ts";
import { attributedResources } from "../core/attributes/attributes.ts";
import { readAllTypes } from "../core/attributes/declared.ts";
import { trustClock } from "../core/clock-trust.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { scopes } from "../core/tenant/scopes.ts";
import { TenantSnapshot } from "../core/tenant/transaction.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { deleteOrganization } from "../organizations/delete.ts";
import { hasTraits, setOrganizationTraits } from "../organizations/settings.ts";
import {
  createOrganization,
  findVisibleOrganization,
  listOrganizations,
  type Organization,
  renameOrganization,
  unknownOrganization,
} from "../organizations/store.ts";
import { createConsoleLink } from "./console-link.ts";
import { type OperatorServices, operationOf } from "./request.ts";

const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

const NameBody = Type.Object({ name: Type.String() });
/** Whether traits of Segment's calls are stored. */
const TraitsBody = Type.Object({ traits: Type.Boolean() });
const ScopeList = Type.Optional(
  Type.Array(Type.Union(scopes.map((scope) => Type.Literal(scope))), { minItems: 1 }),
);
/** `expiresAfter` counts from the creation. Both times are milliseconds. */
const OperatorKeyBody = Type.Object({
  name: Type.String(),
  expiresAt: nullableNumber,
  expiresAfter: nullableNumber,
  scopes: ScopeList,
  rateLimit: nullableNumber,
});
/** Without `keyId`, a key with these scopes is created. */
const ConsoleLinkBody = Type.Object({ keyId: Type.Optional(Type.Integer()), scopes: ScopeList });
const OperatorKeyPath = Type.Object({ id: Type.String({ pattern: "^\\d{1,15}$" }) });
/** `isClockTrusted` ends the time after a jump of the clock in which retention ignores it. */
const JobsBody = Type.Object({ isClockTrusted: Type.Boolean() });
const ImportBody = Type.Object({ resource: Type.String() });

/** The operations on organizations and keys, and the run of the jobs. The guard sets `organization`. */
export function operatorRoutes(services: OperatorServices) {
  const { engine, log, runDueJobs } = services;
  return (
    new Elysia({ prefix: "/operator", strictPath: true, normalize: false })
      .derive(({ organization }: { request: Request; organization?: Organization }) => ({ organization }))
      .onAfterHandle(({ request }) => {
        if (request.method !== "GET") log.info("admin_operation", { operation: operationOf(request) });
      })
      .get("/organizations", () => listWithTraits(engine))
      .post("/organizations", async ({ body }) => present(await createOrganization(engine, body.name)), {
        body: NameBody,
      })
      .get("/organization", async ({ organization: named }) => {
        const organization = required(named);
        const { id } = organization;
        const accountCount = await engine.read((snapshot) => countAccounts(new TenantSnapshot(snapshot, id)));
        return { ...present(organization), accountCount, keyCount: (await listKeys(engine, id)).length };
      })
      .patch(
        "/organization",
        async ({ body, organization }) => {
          const { id, name } = required(organization);
          await setOrganizationTraits(engine, id, body.traits);
          return { id, name, traits: body.traits ? "on" : "off" };
        },
        { body: TraitsBody },
      )
      .delete(
        "/organization",
        async ({ organization: named }) => {
          const organization = required(named);
          const isErased = await deleteOrganization(engine, organization.id);
          // Another program prevents the erasure of the file, which a server continues.
          return { ...present(organization), ...(!isErased && { filePending: true }) };
        },
        { parse: "none" },
      )
      .put(
        "/organization/name",
        async ({ body, organization }) => {
          const { id } = required(organization);
          return { id, name: await renameOrganization(engine, id, body.name) };
        },
        { body: NameBody },
      )
      .post(
        "/console-links",
        ({ body, organization }) => createConsoleLink(services, required(organization), body),
        { body: ConsoleLinkBody },
      )
      .get("/keys", async ({ organization }) => {
        const names = await organizationNames(engine);
        return (await listKeys(engine, organization?.id)).map((key) => presentKeyOf(key, names));
      })
      .post(
        "/keys",
        async ({ body, organization }) => {
          const { id: organizationId, name } = required(organization);
          const { expiresAfter, expiresAt, ...input } = body;
          const { key, secret } = await engine.write(organizationId, async (tx) => {
            // Its deletion may have begun since the request did.
            if (!(await findVisibleOrganization(tx, String(organizationId)))) throw unknownOrganization(name);
            const expiry = expiresAfter === null ? expiresAt : tx.now + expiresAfter;
            return createKey(tx, { ...input, organizationId, expiresAt: expiry });
          });
          return { ...presentKeyOf(key, new Map([[organizationId, name]])), key: secret };
        },
        { body: OperatorKeyBody },
      )
      .delete(
        "/keys/:id",
        async ({ params }) => {
          const key = await revokeKey(engine, Number(params.id));
          return presentKeyOf(existing(key, params.id), await organizationNames(engine));
        },
        { parse: "none", params: OperatorKeyPath },
      )
      .put(
        "/keys/:id/name",
        async ({ params, body }) => {
          const key = await renameKey(engine, Number(params.id), body.name);
          return presentKeyOf(existing(key, params.id), await organizationNames(engine));
        },
        { body: NameBody, params: OperatorKeyPath },
      )
      // The begin of an import, once in the log: the types of the attributes of the resource, by name.
      .post(
        "/imports",
        async ({ body, organization }) => {
          const { id } = required(organization);
          const attributed = attributedResources[body.resource];
          if (!attributed) return {};
          const types = await engine.read((snapshot) =>
            readAllTypes(new TenantSnapshot(snapshot, id), attributed),
          );
          return Object.fromEntries(types);
        },
        { body: ImportBody },
      )
      .post(
        "/jobs",
        async ({ body }) => {
          if (body.isClockTrusted) await trustClock(engine);
          const retentionTime = formatTimestamp(engine.clock.retentionTime());
          await runDueJobs();
          return { retentionTime };
        },
        { body: JobsBody },
      )
  );
}

function required(organization: Organization | undefined): Organization {
  if (!organization) throw new Error("the request has no organization");
  return organization;
}

function existing(key: Key | undefined, id: string): Key {
  if (!key) throw new OperatorError("not_found", `There is no key ${id}.`);
  return key;
}

function present(organization: Organization) {
  return { ...organization, createdAt: formatTimestamp(organization.createdAt) };
}

async function listWithTraits(engine: Engine) {
  const organizations = await listOrganizations(engine);
  return engine.read((snapshot) =>
    Promise.all(
      organizations.map(async (organization) => {
        const isOn = await hasTraits(new TenantSnapshot(snapshot, organization.id));
        return { ...present(organization), traits: isOn ? "on" : "off" };
      }),
    ),
  );
}

async function organizationNames(engine: Engine): Promise<Map<number, string>> {
  return new Map((await listOrganizations(engine)).map(({ id, name }) => [id, name]));
}

/** A key of any organization. The organization is empty when it is being deleted. */
function presentKeyOf(key: Key, names: ReadonlyMap<number, string>) {
  const { organizationId } = key;
  return { ...presentKey(key), organizationId, organization: names.get(organizationId) ?? "" };
}
