import { suggestion } from "../core/did-you-mean.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import type { CommandOptions, Invocation } from "./command.ts";

export const databaseOption: CommandOptions = {
  database: {
    type: "string",
    value: "FILE|URL",
    description:
      "the database: a file, or the address of one on a server (DATABASE_URL; default data/accountd.db)",
  },
};

export const organizationOption: CommandOptions = {
  organization: { type: "string", value: "NAME|ID", description: "the organization" },
};

/** The value of `--organization`. Throws UsageError when it is missing. */
export function readOrganization({ organization }: Invocation["flags"]): string {
  if (typeof organization === "string" && organization !== "") return organization;
  throw new UsageError("--organization NAME|ID is missing.");
}

/** The value of an option that has one of these values. Throws UsageError. */
export function readChoice<Choice extends string>(
  flags: Invocation["flags"],
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = flags[name];
  const found = choices.find((choice) => choice === value);
  if (found === undefined && value !== undefined)
    throw new UsageError(`--${name} must be ${choices.join(" or ")}.`);
  return found;
}

/** The value of `--resource`, one of `names`. Throws UsageError. */
export function readResource<Name extends string>(
  { resource = "accounts" }: Invocation["flags"],
  names: readonly Name[],
): Name {
  const found = names.find((name) => name === resource);
  if (found) return found;
  throw new UsageError(`--resource must be ${names.join(", ")}.${suggestion(String(resource), names)}`);
}
