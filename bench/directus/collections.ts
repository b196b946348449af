/**
 * The plain tables as collections of Directus, which creates the tables itself. It does not fold texts, so the folded
 * columns are fields that the caller sends.
 */
export const collections = [
  collection("accounts", [
    field("organization_id", "integer"),
    field("name", "string"),
    field("folded_name", "string"),
    field("external_id", "string", { isNullable: true }),
    field("folded_external_id", "string", { isNullable: true }),
    field("mrr", "float"),
    field("status", "string"),
    field("logo_url", "string", { isNullable: true }),
    field("contact_activity_at", "timestamp", { isNullable: true }),
    field("created_at", "timestamp", { special: ["date-created"] }),
    field("updated_at", "timestamp", { special: ["date-created", "date-updated"] }),
  ]),
  collection("contacts", [
    field("account_id", "integer"),
    field("name", "string"),
    field("email", "string", { isNullable: true }),
  ]),
  collection("meetings", [
    field("account_id", "integer"),
    field("title", "string"),
    field("start_at", "timestamp"),
    field("end_at", "timestamp"),
  ]),
  collection("requests", [
    field("account_id", "integer"),
    field("title", "string"),
    field("status", "string"),
    field("severity", "integer"),
    field("requested_at", "timestamp"),
  ]),
];

/** The embedded lists of an account. */
const lists = ["contacts", "meetings", "requests"];

export const listFields = lists.map((name) => ({
  field: name,
  type: "alias",
  meta: { special: ["o2m"], interface: "list-o2m" },
}));

export const relations = lists.map((name) => ({
  collection: name,
  field: "account_id",
  related_collection: "accounts",
  meta: { one_field: name },
  schema: { on_delete: "NO ACTION" },
}));

/** The permissions of an organization: its own accounts and their sub-resources. */
export function permissionsOf(policy: string, organizationId: number) {
  const own = { organization_id: { _eq: organizationId } };
  const ofOwn = { account_id: own };
  const all = { policy, fields: ["*"], permissions: {} };
  return [
    { ...all, collection: "accounts", action: "read", permissions: own },
    { ...all, collection: "accounts", action: "update", permissions: own, validation: own },
    {
      ...all,
      collection: "accounts",
      action: "create",
      presets: { organization_id: organizationId },
      validation: own,
    },
    ...lists.map((name) => ({ ...all, collection: name, action: "read", permissions: ofOwn })),
    // A contact may be created with its account.
    { ...all, collection: "contacts", action: "create" },
  ];
}

function collection(name: string, fields: ReturnType<typeof field>[]) {
  const id = {
    field: "id",
    type: "integer",
    meta: { interface: "input", special: null as string[] | null },
    schema: { is_primary_key: true, has_auto_increment: true },
  };
  // The other contestants record no changes either.
  return { collection: name, meta: { accountability: null }, schema: {}, fields: [id, ...fields] };
}

function field(
  name: string,
  type: "integer" | "string" | "float" | "timestamp",
  { isNullable = false, special }: { isNullable?: boolean; special?: string[] } = {},
) {
  return {
    field: name,
    type,
    meta: { interface: "input", special: special ?? null },
    schema: { is_nullable: isNullable },
  };
}
