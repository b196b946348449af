import { NONE } from "../../core/lists/fields.ts";
import { scopes } from "../../core/tenant/scopes.ts";
import { accountStatuses } from "../../shared/fields/accounts.ts";
import { requestStatuses } from "../../shared/fields/requests.ts";
import { healthTiers } from "../../shared/fields/tiers.ts";
import { asObject, type Json, type JsonObject } from "../../shared/json.ts";

type Section = "schemas" | "parameters" | "responses" | "headers" | "examples";

/** Generators make types of schemas, parameters and headers, some of them in one namespace. */
const suffixes: Partial<Record<Section, string>> = { parameters: "Param", headers: "Header" };

/** The enumerations of several places: clients see these names. */
const enumerations = {
  AccountStatus: accountStatuses,
  HealthTier: healthTiers,
  NoValue: [NONE],
  RequestStatus: requestStatuses,
  Scope: scopes,
};

/** What several places of the OpenAPI document share: each value is stored once, under a name, and referenced. */
export class Components implements Record<Section, JsonObject> {
  readonly schemas: JsonObject = {};
  readonly parameters: JsonObject = {};
  readonly responses: JsonObject = {};
  readonly headers: JsonObject = {};
  readonly examples: JsonObject = {};

  /**
   * Stores a value and returns a reference to it. The name of a parameter or header gets the suffix of its section. Of
   * two values with one name, the second is called `name2`.
   */
  share(section: Section, name: string, value: Json): JsonObject {
    const values = this[section];
    const first = `${name}${suffixes[section] ?? ""}`;
    let key = first;
    for (let i = 2; values[key] !== undefined && !Bun.deepEquals(values[key], value); i++)
      key = `${first}${i}`;
    values[key] = value;
    return { $ref: `#/components/${section}/${key}` };
  }

  /**
   * Replaces every schema that has an `$id` by a reference, drops what JSON Schema does not need, and writes schemas as
   * generators read them. Throws when two schemas that differ have one `$id`: clients see these names.
   */
  shareSchemas(value: Json): Json {
    if (Array.isArray(value)) return value.map((member) => this.shareSchemas(member));
    if (typeof value !== "object" || value === null) return value;
    const { $id, noValidate: _, ...members } = value;
    const schema = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, this.shareSchemas(member)]),
    );
    // The default of JSON Schema; client generators make an index signature of it, and typos then compile.
    if (schema.additionalProperties === true && Object.keys(asObject(schema.properties)).length > 0)
      delete schema.additionalProperties;
    if (typeof $id !== "string") return this.#forGenerators(schema);
    const existing = this.schemas[$id] ?? schema;
    if (!Bun.deepEquals(existing, schema)) throw new Error(`Two schemas that differ have the $id ${$id}.`);
    return this.share("schemas", $id, schema);
  }

  /** Returns the schema with `enum` for `const`, references to the named enumerations, and the format of integers. */
  #forGenerators({ const: constant, ...schema }: JsonObject): JsonObject {
    if (constant !== undefined) return { ...schema, enum: [constant] };
    if ([schema.type].flat().includes("integer")) return { ...schema, format: "int64" };
    const [name] =
      Object.entries(enumerations).find(([, values]) => Bun.deepEquals(schema.enum, values)) ?? [];
    if (name === undefined) return schema;
    const { type, enum: values = [], ...others } = schema;
    return { ...this.share("schemas", name, { type: type ?? "string", enum: values }), ...others };
  }

  /** Stores the schema of a field once when several schemas have it, under the name of the field. */
  shareFields(): void {
    const counts = new Map<string, number>();
    const schemas = Object.values(this.schemas).map(asObject);
    for (const { properties } of schemas)
      for (const field of Object.values(asObject(properties))) {
        const key = JSON.stringify(field);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    for (const { properties } of schemas)
      for (const [name, field] of Object.entries(asObject(properties))) {
        const key = JSON.stringify(field);
        // A reference has about 45 bytes. A short schema is easier to read in place.
        const { $ref, description, items } = asObject(field);
        const isLong =
          key.length > 110 && description !== undefined && items === undefined && $ref === undefined;
        if (isLong && (counts.get(key) ?? 0) > 2)
          asObject(properties)[name] = this.share(
            "schemas",
            `${name.at(0)?.toUpperCase()}${name.slice(1)}`,
            field,
          );
      }
  }
}
