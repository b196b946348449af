import type { Engine, Reader } from "../../db/engine.ts";
import type { AttributeType } from "../../db/schema.ts";
import { createKey, type Key, revokeKey } from "../api-keys/store.ts";
import { trustClock } from "../core/clock-trust.ts";
import { type FileResource, fileResources } from "../core/file-resources.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { isRateLimit } from "../core/settings/rate-limit.ts";
import { readScopes } from "../core/tenant/scopes.ts";
import { deleteOrganization } from "../organizations/delete.ts";
import { setOrganizationTraits } from "../organizations/settings.ts";
import {
  createOrganization,
  findOrganization,
  findVisibleOrganization,
  type Organization,
} from "../organizations/store.ts";
import type { RowResult } from "../shared/unique-rows.ts";
import { importIntoOrganization, readImportedAttributes } from "./imports.ts";

export type AdminContext = {
  engine: Engine;
  /** Runs the due jobs until none has more to do. Undefined outside of a server. */
  runDueJobs?: () => Promise<unknown>;
};

/** What each operation takes and returns. Both are JSON: an operation may run in another process. */
export type AdminOperations = {
  createOrganization: { input: { name: string }; output: Organization };
  /** `organization` is a name or an id. */
  deleteOrganization: {
    input: { organization: string };
    /** `filePending`: another program prevents the erasure of the file, which a server continues. */
    output: Organization & { filePending?: true };
  };
  /** Whether traits of Segment's calls are stored. */
  setTraits: { input: { organization: string; traits: boolean }; output: Organization };
  createKey: {
    /** `organization` is a name or an id; `expiresAfter` counts from the creation. Both times are milliseconds. */
    input: { organization: string; name: string; expiresAt: number | null; expiresAfter: number | null };
    output: CreatedKey;
  };
  /**
   * Also with scopes, a comma list, and a limit in requests per minute. A server of an older version rejects it; it
   * would ignore them.
   */
  createRestrictedKey: {
    input: AdminOperations["createKey"]["input"] & { scopes: string | null; rateLimit: number | null };
    output: CreatedKey;
  };
  revokeKey: { input: { id: number }; output: Key };
  /** The organization of an import, and the types of its attributes by name: a server without this operation cannot import. */
  beginImport: {
    input: { organization: string; resource: FileResource };
    output: { organizationId: number; attributeTypes: Record<string, AttributeType> };
  };
  /** Creates or updates rows, none of which has the external id of another one. */
  importRows: {
    input: { organizationId: number; resource: FileResource; rows: readonly object[]; isDryRun: boolean };
    output: { results: RowResult[] };
  };
  /** `isClockTrusted` ends the time after a jump of the clock in which retention ignores it. */
  runJobs: { input: { isClockTrusted: boolean }; output: { retentionTime: number } };
};
type CreatedKey = { key: Key; secret: string; organization: Organization };
export type AdminOperationName = keyof AdminOperations;
export type AdminInput<N extends AdminOperationName> = AdminOperations[N]["input"];
export type AdminOutput<N extends AdminOperationName> = AdminOperations[N]["output"];

type OperationInput = Readonly<Record<string, unknown>>;

const operations: {
  [N in AdminOperationName]: (context: AdminContext, input: OperationInput) => Promise<AdminOutput<N>>;
} = {
  async createOrganization({ engine }, input) {
    return createOrganization(engine, stringMember(input, "name"));
  },
  async deleteOrganization({ engine }, input) {
    const organization = await requireOrganization(engine, stringMember(input, "organization"));
    const isErased = await deleteOrganization(engine, organization.id);
    return isErased ? organization : { ...organization, filePending: true };
  },
  async setTraits({ engine }, input) {
    const organization = await requireOrganization(engine, stringMember(input, "organization"));
    if (typeof input.traits !== "boolean") throw unsupported();
    await setOrganizationTraits(engine, organization.id, input.traits);
    return organization;
  },
  createKey: (context, input) => createRestrictedKey(context, { ...input, scopes: null, rateLimit: null }),
  createRestrictedKey,
  async revokeKey({ engine }, input) {
    const id = numberMember(input, "id");
    const key = await revokeKey(engine, id);
    if (!key) throw new OperatorError("not_found", `There is no key ${id}.`);
    return key;
  },
  async beginImport({ engine }, input) {
    const { id } = await requireOrganization(engine, stringMember(input, "organization"));
    return {
      organizationId: id,
      attributeTypes: await readImportedAttributes(engine, id, resourceMember(input)),
    };
  },
  async importRows({ engine }, input) {
    const organizationId = numberMember(input, "organizationId");
    const { rows, isDryRun } = input;
    const resource = resourceMember(input);
    if (!Array.isArray(rows) || typeof isDryRun !== "boolean") throw unsupported();
    // Its deletion may have begun since the import began.
    await requireOrganization(engine, String(organizationId));
    return { results: await importIntoOrganization(engine, organizationId, { resource, rows, isDryRun }) };
  },
  async runJobs({ engine, runDueJobs }, input) {
    if (!runDueJobs || typeof input.isClockTrusted !== "boolean") throw unsupported();
    if (input.isClockTrusted) await trustClock(engine);
    const retentionTime = engine.clock.retentionTime();
    await runDueJobs();
    return { retentionTime };
  },
};

async function createRestrictedKey({ engine }: AdminContext, input: OperationInput): Promise<CreatedKey> {
  const nameOrId = stringMember(input, "organization");
  const { id: organizationId } = await requireOrganization(engine, nameOrId);
  const name = stringMember(input, "name");
  const expiresAt = nullableNumberMember(input, "expiresAt");
  const expiresAfter = nullableNumberMember(input, "expiresAfter");
  const scopes = input.scopes === null ? undefined : readScopes(stringMember(input, "scopes"));
  const rateLimit = nullableNumberMember(input, "rateLimit");
  if ((input.scopes !== null && !scopes) || (rateLimit !== null && !isRateLimit(rateLimit)))
    throw unsupported();
  return engine.write(organizationId, async (tx) => {
    // Its deletion may have begun since it was read.
    const organization = await findVisibleOrganization(tx, String(organizationId));
    if (!organization) throw unknownOrganization(nameOrId);
    const created = await createKey(tx, {
      organizationId,
      name,
      expiresAt: expiresAfter === null ? expiresAt : tx.now + expiresAfter,
      scopes,
      rateLimit,
    });
    return { ...created, organization };
  });
}

/** Runs a change of organizations or keys. Throws OperatorError, and what the engine throws. */
export function runAdminOperation<N extends AdminOperationName>(
  context: AdminContext,
  name: N,
  input: AdminInput<N>,
): Promise<AdminOutput<N>>;
/** The same for what another process sent: it may be of another version. */
export function runAdminOperation(
  context: AdminContext,
  name: string,
  input: OperationInput,
): Promise<unknown>;
export function runAdminOperation(
  context: AdminContext,
  name: string,
  input: OperationInput,
): Promise<unknown> {
  if (!isOperation(name)) throw unsupported();
  return operations[name](context, input);
}

/** The organization of this name or id. Throws OperatorError when there is none. */
export async function requireOrganization(reader: Reader, nameOrId: string): Promise<Organization> {
  const organization = await findOrganization(reader, nameOrId);
  if (!organization) throw unknownOrganization(nameOrId);
  return organization;
}

function unknownOrganization(nameOrId: string): OperatorError {
  return new OperatorError(
    "not_found",
    `There is no organization ${nameOrId}. accountd organizations list shows them.`,
  );
}

function isOperation(name: string): name is AdminOperationName {
  return Object.hasOwn(operations, name);
}

function stringMember(input: OperationInput, name: string): string {
  const value = input[name];
  if (typeof value !== "string") throw unsupported();
  return value;
}

function numberMember(input: OperationInput, name: string): number {
  const value = input[name];
  if (typeof value !== "number") throw unsupported();
  return value;
}

function resourceMember(input: OperationInput): FileResource {
  const resource = fileResources.find((name) => name === input.resource);
  if (!resource) throw unsupported();
  return resource;
}

function nullableNumberMember(input: OperationInput, name: string): number | null {
  return input[name] === null ? null : numberMember(input, name);
}

function unsupported(): OperatorError {
  return new OperatorError(
    "unsupported_operation",
    "The running server is of another version of accountd. Restart it, or use its version.",
  );
}
