import { Problem } from "../../core/errors.ts";
import type { Authenticate, Credential } from "../../core/tenant/credential.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import type { RequestLimits } from "./limits.ts";

export type ReplyHeaders = Record<string, string | number | undefined>;
/** A request whose caller is checked, and the headers of its reply. */
type AdmissionRequest = { request: Request; requestId: string; headers: ReplyHeaders };
/** Resolves with the tenant of a credential. Throws `unauthorized` and `rate_limited`. */
export type Admit = (credential: Credential, admission: AdmissionRequest) => Promise<Tenant>;

/** Checks credentials, counts the requests of each key, and counts failed authentications. */
export function createAdmission(authenticate: Authenticate, limits: RequestLimits): Admit {
  return async (credential, { request, requestId, headers }) => {
    let tenant: Tenant;
    try {
      tenant = await authenticate(credential, requestId);
    } catch (error) {
      if (error instanceof Problem && error.code === "unauthorized") limits.countFailure(request);
      throw error;
    }
    limits.countRequest(tenant.caller, headers);
    tenant.signal = () => request.signal;
    return tenant;
  };
}
