import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ProblemNotice } from "../components/problem.tsx";
import { type Session, signIn } from "../session.ts";

type SignInProps = { notice: ComponentChildren; onSignedIn: (session: Session | null) => void };

/** The form for an API key. `notice` is the problem of an earlier sign-in. */
export function SignIn({ notice, onSignedIn }: SignInProps) {
  const [key, setKey] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Sign in – accountd";
    input.current?.focus();
  }, []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setIsBusy(true);
    setError(undefined);
    try {
      onSignedIn(await signIn({ key: key.trim() }));
    } catch (failure) {
      setError(failure);
      setIsBusy(false);
      input.current?.focus();
    }
  }

  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>accountd</h1>
        <p>
          Sign in with an API key of your organization. The browser keeps the session for at most 12 hours.
        </p>
        {error === undefined && notice}
        {error !== undefined && <ProblemNotice error={error} />}
        <label class="field">
          <span>API key</span>
          <input
            ref={input}
            type="password"
            name="key"
            autocomplete="current-password"
            spellcheck={false}
            required
            placeholder="ak_…"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
        <p class="hint">
          An operator creates a key by <code>accountd keys create --organization NAME</code>. The console
          shows what its scopes allow: with the scope <code>read</code> nothing can be changed.
        </p>
      </form>
    </main>
  );
}
