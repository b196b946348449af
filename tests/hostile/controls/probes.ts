import { Problem } from "../../../src/core/errors.ts";
import { Tenant } from "../../../src/core/tenant.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const acceptsAnyHost: Variant = {
  name: "every Host header is accepted",
  source,
  replace: {
    "src/http/request-line.ts": {
      pathOf:
        (original) =>
        ({ url }) =>
          // Safe: the function reads these two members.
          original.pathOf({ url, headers: new Headers({ host: "localhost" }) } as Request),
    },
  },
};

export const acceptsAnyKey: Variant = {
  name: "a key that nobody has is one of the first organization",
  source,
  replace: {
    "src/http/authentication.ts": {
      authentication: (original) => (services, log) => {
        const authenticate = original.authentication(services, log);
        const caller = { organizationId: 1, actor: { type: "cli" as const } };
        return (secret, requestId) =>
          authenticate(secret, requestId).catch(() => new Tenant(services, { ...caller, requestId }));
      },
    },
  },
};

export const showsInternals: Variant = {
  name: "a refusal contains the text of the internal error",
  source,
  replace: {
    "src/http/validation-errors.ts": {
      validationProblem: (original) => (error) => {
        const { code, errors } = original.validationProblem(error);
        return new Problem(code, { detail: `${error.stack}`, errors: [...errors] });
      },
    },
  },
};
