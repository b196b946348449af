import { useEffect, useRef, useState } from "preact/hooks";
import { isSessionKey, setSessionKey } from "./api.ts";
import { Dialog } from "./components/dialog.tsx";
import { ProblemNotice } from "./components/problem.tsx";
import { SavedNote } from "./components/saved-note.tsx";
import { Shell } from "./components/shell.tsx";
import { setNumberFormats } from "./format.ts";
import { followChangesOf } from "./live/live-changes.ts";
import { layout, session as text } from "./messages/messages.ts";
import { Page, pages } from "./pages/page.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { followNavigation } from "./router.ts";
import { readSession, type Session, SessionContext, signIn, watchOtherTabs } from "./session.ts";
import { useEvent } from "./use-event.ts";

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
  const [change, setChange] = useState<SessionChange>();
  const isWarned = useRef(false);
  const [error, setError] = useState<unknown>();

  function warn(next: SessionChange | undefined): void {
    isWarned.current = next !== undefined;
    setChange(next);
  }
  function showSession(opened: Session | null): void {
    setSessionKey(opened?.key.id);
    followChangesOf(opened?.scopes.includes("read") ? opened.key.id : undefined);
    if (opened) setNumberFormats(opened.organization);
    setSession(opened);
    warn(undefined);
  }
  /** After the API rejected the session. */
  async function checkSession(): Promise<void> {
    const current = await readSession().catch(() => null);
    if (current === null) showSession(null);
    else if (!isSessionKey(current.key.id)) warn("otherKey");
  }

  /** After the API rejected the stream of changes: the page stays, with what was typed. Says it once. */
  async function checkStream(): Promise<void> {
    const current = await readSession().catch(() => undefined);
    if (isWarned.current) return;
    if (current === null) warn("ended");
    else if (current && !isSessionKey(current.key.id)) warn("otherKey");
  }

  useEvent(window, "sessionrejected", checkSession);
  useEvent(window, "streamrejected", checkStream);
  useEffect(() => {
    openSession().then(showSession, (failure: unknown) => {
      setError(failure);
      // The link does not work any more, but an earlier session may.
      readSession().then(showSession, () => showSession(null));
    });
    followNavigation();
    watchOtherTabs((keyId) => {
      if (keyId === null) warn("signedOut");
      else warn(isSessionKey(keyId) ? undefined : "otherKey");
    });
  }, []);
  useEvent<PageTransitionEvent>(window, "pageshow", ({ persisted }) => {
    // A page that the browser restores, for example by the back button, may be of a session that has ended.
    if (persisted) location.reload();
  });

  if (session === undefined) return <p class="visually-hidden">{layout.loading}</p>;
  if (session === null)
    return (
      <SignIn
        notice={error === undefined ? undefined : <ProblemNotice error={error} />}
        onSignedIn={(opened) => {
          setError(undefined);
          showSession(opened);
        }}
      />
    );
  return (
    <SessionContext.Provider value={{ ...session, refresh: async () => showSession(await readSession()) }}>
      <Shell pages={pages} onSignedOut={() => showSession(null)}>
        <Page />
      </Shell>
      <SavedNote />
      {change && <SessionChanged change={change} onClose={() => setChange(undefined)} />}
    </SessionContext.Provider>
  );
}

/** Why the page is of an earlier session: what another tab has done, or the session's end. */
type SessionChange = keyof typeof text.changes;

/** Says that the page is of an earlier session. It stays behind the dialog: text that was entered can be copied. */
function SessionChanged({ change, onClose }: { change: SessionChange; onClose: () => void }) {
  return (
    <Dialog title={text.changed} onClose={onClose}>
      <form method="dialog">
        <p role="alert">{text.changes[change]}</p>
        <footer>
          <button type="button" class="primary" autofocus onClick={() => location.reload()}>
            {text.reload}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
