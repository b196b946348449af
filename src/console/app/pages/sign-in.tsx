import "../styles/sign-in.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { markAddress } from "../../../shared/mark.ts";
import { ProblemNotice } from "../components/problem.tsx";
import { signingIn as text } from "../messages/messages.ts";
import { type Session, signIn } from "../session.ts";
import { useAction } from "../use-request.ts";

type SignInProps = { notice: ComponentChildren; onSignedIn: (session: Session | null) => void };

/** The form for an API key. `notice` is the problem of an earlier sign-in. */
export function SignIn({ notice, onSignedIn }: SignInProps) {
  const [key, setKey] = useState("");
  const { error, isRunning, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = text.documentTitle;
    input.current?.focus();
  }, []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    await run(async () => onSignedIn(await signIn({ key: key.trim() })));
    input.current?.focus();
  }

  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <header>
          <img class="mark" src={markAddress} alt="" />
          <h1>{text.title}</h1>
          <p class="hint">{text.lead}</p>
        </header>
        {error === undefined && notice}
        {error !== undefined && <ProblemNotice error={error} />}
        <label class="field">
          <span>{text.label}</span>
          <input
            ref={input}
            type="password"
            name="key"
            autocomplete="current-password"
            spellcheck={false}
            required
            placeholder={text.placeholder}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? text.busy : text.submit}
        </button>
        <p class="hint">
          <strong>{text.noKey}</strong> {text.askForKey}
        </p>
        <details class="hint">
          <summary>{text.operator}</summary>
          {text.createKey} <code>{text.command}</code>
          <p>{text.link}</p>
        </details>
      </form>
    </main>
  );
}
