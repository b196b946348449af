import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";

/**
 * The difference between a body and its schema, or undefined. With `fields` in the query of the path, the rows have
 * exactly the selected members of their schema and `id`. Requires a check that collects all errors.
 */
export function shapeFault(check: ValidateFunction, body: unknown, path: string): string | undefined {
  const selected = selectedMembers(path);
  const errors = check(body) ? [] : (check.errors ?? []).filter((error) => !isLeftOut(error, selected));
  if (errors.length > 0)
    return errors.map(({ instancePath, message }) => `data${instancePath} ${message}`).join(", ");
  const others = selected && membersOfRows(body).filter((name) => !selected.has(name));
  return others && others.length > 0 ? `has ${others}, which fields does not select` : undefined;
}

function selectedMembers(path: string): ReadonlySet<string> | undefined {
  const fields = new URLSearchParams(path.split("?").slice(1).join("?")).get("fields");
  return fields === null ? undefined : new Set(["id", ...fields.split(",")]);
}

/** Whether a row has no member because it is not selected. */
function isLeftOut({ keyword, instancePath, params }: ErrorObject, selected?: ReadonlySet<string>): boolean {
  const isMissing = keyword === "required" && /^\/data(?:\/\d+)?$/.test(instancePath);
  return isMissing && selected !== undefined && !selected.has(params.missingProperty);
}

/** The names of the members of `data`, which is a row or a list of rows. */
function membersOfRows(body: unknown): string[] {
  // Safe: schemas of replies are objects, with rows in `data` if they are no problems.
  const { data = [] } = body as { data?: object | object[] };
  return [data].flat().flatMap((row) => Object.keys(row));
}
