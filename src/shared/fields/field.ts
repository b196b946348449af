/** Limits of a value, as in JSON Schema. */
type ValueLimits = {
  minLength?: number;
  maxLength?: number;
  /** `\S`: not blank. */
  pattern?: string;
  minimum?: number;
  maximum?: number;
  format?: "email" | "uri";
};

/** The replies about a row; `list` is a row of a page. */
type Reply = "create" | "update" | "get" | "list";

/** What callers send for a field, as far as it differs from the field. */
type FieldInput = ValueLimits & {
  values?: readonly string[];
  isNullable?: boolean;
  isRequired?: boolean;
  description?: string;
  example?: string;
};

/** A field of a resource, declared once: bodies, replies, lists, files and the console are derived from it. */
export type ResourceField = ValueLimits & {
  /** `flag`: true while the field `of` has the flag's name as its value. `attributes`: an object. */
  kind: "id" | "text" | "number" | "integer" | "choice" | "timestamp" | "flag" | "attributes";
  of?: string;
  /** Of a choice. */
  values?: readonly string[];
  isNullable?: boolean;
  description?: string;
  example?: string | number | boolean | null;
  /** Of a new row. Default: null, or what the store of the resource sets. */
  default?: string | number;
  /** Absent: callers cannot set the field. `create`: what differs in the body of a create, which `false` leaves out. */
  input?: FieldInput & { create?: FieldInput | false };
  /** The replies that have the field without `include`. Default: all. */
  replies?: readonly Reply[];
  /** Whether a list can be filtered by the field, with operators, and sorted by it. */
  isFilterable?: boolean;
  isSortable?: boolean;
  /** Whether the forms of the console have an input. Default: true. */
  isInForms?: boolean;
  /** Of a timestamp: whether the screen shows the time of the day. */
  hasTime?: boolean;
  /** Other names of the column of a file of rows, in lower case. */
  synonyms?: readonly string[];
};
export type ResourceFields = Readonly<Record<string, ResourceField>>;

type BaseValue<F extends ResourceField> = F extends { kind: "choice"; values: readonly (infer V)[] }
  ? V
  : {
      id: number;
      text: string;
      number: number;
      integer: number;
      choice: string;
      timestamp: string;
      flag: boolean;
      attributes: Record<string, string | number | boolean>;
    }[F["kind"]];

export type ValueOf<F extends ResourceField> = BaseValue<F> | (F extends { isNullable: true } ? null : never);
type NameIn<F extends ResourceFields, R extends Reply> = {
  [K in keyof F & string]: F[K] extends { replies: readonly (infer In)[] } ? (R extends In ? K : never) : K;
}[keyof F & string];
export type InputName<F extends ResourceFields> = {
  [K in keyof F & string]: F[K] extends { input: object } ? K : never;
}[keyof F & string];
export type InputValue<F extends ResourceField> = F extends { kind: "attributes" }
  ? Record<string, string | number | boolean | null>
  : ValueOf<F>;
export type InputOf<F extends ResourceFields> = { -readonly [K in InputName<F>]?: InputValue<F[K]> };

/** The names of the fields of a reply, in the order of the table. */
export function namesIn<F extends ResourceFields, R extends Reply>(fields: F, reply: R): NameIn<F, R>[] {
  // Safe: the type has the same condition.
  return namesOf(fields).filter((name) => fields[name]?.replies?.includes(reply) ?? true) as NameIn<F, R>[];
}

export function namesOf<F extends ResourceFields>(fields: F): (keyof F & string)[] {
  return Object.keys(fields);
}

export const externalIdField = {
  kind: "text",
  isNullable: true,
  maxLength: 255,
  description: "The caller's own identifier, unique within the organization, compared byte for byte",
  example: "acme",
  synonyms: ["recordid", "id"],
  input: {
    description:
      "The caller's own identifier, unique within the organization, compared byte for byte; null or an empty text means none",
  },
} as const satisfies ResourceField;

export const titleInput = { isRequired: true, minLength: 1, maxLength: 255, pattern: "\\S" } as const;
