import { useEffect, useState } from "preact/hooks";
import { watchSession } from "./api.ts";
import { ProblemNotice } from "./components/problem.tsx";
import { Shell } from "./components/shell.tsx";
import { Page, pages } from "./pages/page.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { followNavigation } from "./router.ts";
import { readSession, type Session, SessionContext, signIn } from "./session.ts";

/** Returns the token of a link that signs in once, `/console#link=TOKEN`, and removes it from the address and the history. */
function removeLinkToken(): string | undefined {
  const token = /^#link=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}

async function openSession(): Promise<Session | null> {
  const link = removeLinkToken();
  return link === undefined ? readSession() : signIn({ link });
}

/** The console: the page of the address, or the sign-in page. */
export function App() {
  const [session, setSession] = useState<Session | null>();
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    watchSession(() => setSession(null));
    openSession().then(setSession, (failure: unknown) => {
      setError(failure);
      // The link does not work any more, but an earlier session may.
      readSession().then(setSession, () => setSession(null));
    });
    return followNavigation();
  }, []);
  useEffect(() => {
    // A page that the browser restores, for example by the back button, may be of a session that has ended.
    const check = (event: PageTransitionEvent) => {
      if (event.persisted) location.reload();
    };
    addEventListener("pageshow", check);
    return () => removeEventListener("pageshow", check);
  }, []);

  if (session === undefined) return <p class="visually-hidden">Loading</p>;
  if (session === null)
    return (
      <SignIn
        notice={error === undefined ? undefined : <ProblemNotice error={error} />}
        onSignedIn={(opened) => {
          setError(undefined);
          setSession(opened);
        }}
      />
    );
  return (
    <SessionContext.Provider value={session}>
      <Shell pages={pages} onSignedOut={() => setSession(null)}>
        <Page />
      </Shell>
    </SessionContext.Provider>
  );
}
