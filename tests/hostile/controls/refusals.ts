import { Problem } from "../../../src/core/errors.ts";
import { Tenant } from "../../../src/core/tenant/tenant.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const anyHost: Variant = {
  name: "any Host is accepted",
  source,
  replace: {
    "src/http/guard/request-line.ts": {
      pathOf:
        (original) =>
        ({ url }) =>
          // Safe: `pathOf` reads the address and the Host header only.
          original.pathOf({ url, headers: new Headers({ host: "localhost" }) } as Request),
    },
  },
};

export const anyKey: Variant = {
  name: "an unknown key is the first organization's",
  source,
  replace: {
    "src/api-keys/authenticator.ts": {
      createAuthenticator: (original) => (services, log) => {
        const authenticate = original.createAuthenticator(services, log);
        return (credential, requestId) =>
          authenticate(credential, requestId).catch(
            () => new Tenant(services, { organizationId: 1, actor: { type: "cli" }, requestId }),
          );
      },
    },
  },
};

export const showsStack: Variant = {
  name: "the detail of an invalid request has a stack",
  source,
  replace: {
    "src/http/validation/validation-errors.ts": {
      validationProblem: (original) => (error) => {
        const { errors } = original.validationProblem(error);
        return new Problem("invalid_request", { errors: [...errors], detail: `Failed: ${error.stack}` });
      },
    },
  },
};
