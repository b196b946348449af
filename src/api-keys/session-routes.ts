import { Elysia } from "elysia";
import { Problem, unauthorized } from "../core/errors.ts";
import type { Caller } from "../core/tenant/caller.ts";
import type { Credential } from "../core/tenant/credential.ts";
import { assertNothingFollows, type BodyContext, strictJson } from "../http/body/body.ts";
import { maxSignInBytes } from "../http/body/read-bytes.ts";
import type { Admit } from "../http/guard/admission.ts";
import {
  assertFromConsole,
  assertKeyOfSession,
  readSessionToken,
  sessionCookie,
} from "../http/guard/session-cookie.ts";
import { ignoredBody } from "../http/resource/write-schemas.ts";
import { presentSession, readSignIn, SignInBody, SignOutQuery } from "./session-model.ts";
import type { KeySession } from "./sessions.ts";

/** The sessions that the console's routes use: `src/api-keys/sessions.ts`. Tokens may have any form. */
export type ConsoleSessions = {
  begin(credential: Credential): Promise<string | undefined>;
  find(token: string): Promise<KeySession | undefined>;
  end(token: string): Promise<void>;
  endAll(session: KeySession): Promise<void>;
};
export type SessionRouteServices = {
  admit: Admit;
  sessions: ConsoleSessions;
  /** Whether the client sent the request over TLS, perhaps to a proxy. */
  isOverTls: (request: Request) => boolean;
  /** When the last backup of the server failed; undefined when it did not. */
  backupFailedAt: () => number | undefined;
};

/** Throws `insufficient_scope` for a key that could open the API reference only, which is at /docs for everybody. */
function requirePage({ scopes }: Caller): void {
  if (!scopes || scopes.has("read") || scopes.has("admin")) return;
  const detail =
    "The console needs a key with the scope `read` or `admin`. A key with the scope `admin` but not `read` opens only the pages Keys, Webhooks and Organization, and the API reference. The API reference is at /docs without a key.";
  throw new Problem("insufficient_scope", { detail });
}

type GuardedContext = { request: Request; requestId?: string };

// Anybody can send one: a large body would be parsed before its key is checked.
const parseSignIn = strictJson(SignInBody, { maxBytes: maxSignInBytes });
const undocumented = { detail: { hide: true } };

/** Who is signed in, sign-in and sign-out. Only the console's script can send these requests. */
export function sessionRoutes({ admit, sessions, isOverTls, backupFailedAt }: SessionRouteServices) {
  return new Elysia({ strictPath: true, normalize: false })
    .derive(({ requestId = "" }: GuardedContext) => ({ requestId }))
    .get(
      "/console/session",
      async ({ request }) => {
        const session = await sessions.find(readSessionToken(request.headers, isOverTls(request)));
        return { data: session ? presentSession(session, backupFailedAt()) : null };
      },
      undocumented,
    )
    .post(
      "/console/session",
      async ({ request, set, requestId, body }) => {
        const credential = readSignIn(body);
        const { caller } = await admit(credential, { request, requestId, headers: set.headers });
        requirePage(caller);
        const token = await sessions.begin(credential);
        const session = token === undefined ? undefined : await sessions.find(token);
        if (token === undefined || !session) throw unauthorized();
        // Also the session of a sign-in without TLS, whose cookie has another name.
        for (const isSecure of [true, false]) {
          const replaced = readSessionToken(request.headers, isSecure);
          if (await sessions.find(replaced)) await sessions.end(replaced);
        }
        const maxAgeSeconds = Math.ceil(session.remainingMilliseconds / 1_000);
        set.headers["set-cookie"] = sessionCookie(token, maxAgeSeconds, isOverTls(request));
        return { data: presentSession(session, backupFailedAt()) };
      },
      {
        ...undocumented,
        body: SignInBody,
        parse: async ({ request, set, reservation }: BodyContext) => {
          assertFromConsole(request.headers);
          return parseSignIn({ request, set, reservation });
        },
      },
    )
    .delete(
      "/console/session",
      async ({ request, set, query }) => {
        assertFromConsole(request.headers);
        await assertNothingFollows(request);
        const token = readSessionToken(request.headers, isOverTls(request));
        const session = await sessions.find(token);
        if (session) {
          assertKeyOfSession(request.headers, session.key.id);
          await (query.everywhere === "true" ? sessions.endAll(session) : sessions.end(token));
        }
        set.headers["set-cookie"] = sessionCookie("", 0, isOverTls(request));
        set.status = 204;
        delete set.headers["content-type"];
      },
      { ...undocumented, ...ignoredBody, query: SignOutQuery },
    );
}
