import type { Credential } from "../core/credential.ts";
import { Problem } from "../core/errors.ts";
import type { Tenant } from "../core/tenant.ts";
import type { Authenticate } from "./authentication.ts";
import type { RequestLimits } from "./limits.ts";

/** The context of a request whose caller is checked. */
export type AdmissionContext = {
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
  requestId?: string;
};
/** Resolves with the tenant of a credential. Throws `unauthorized` and `rate_limited`. */
export type Admit = (context: AdmissionContext, credential: Credential) => Promise<Tenant>;

/** Checks credentials, counts the requests of each key, and counts failed authentications. */
export function createAdmission(authenticate: Authenticate, limits: RequestLimits): Admit {
  return async ({ request, set, requestId = "" }, credential) => {
    let tenant: Tenant;
    try {
      tenant = await authenticate(credential, requestId);
    } catch (error) {
      if (error instanceof Problem && error.code === "unauthorized") limits.countFailure(request);
      throw error;
    }
    limits.countRequest(tenant.caller, set.headers);
    return tenant;
  };
}
