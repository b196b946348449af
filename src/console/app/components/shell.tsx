import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { markAddress } from "../../../shared/mark.ts";
import { messages } from "../messages/messages.ts";
import { leavePage, usePlace } from "../router.ts";
import { type Scope, signOut, useSession } from "../session.ts";
import { applyTheme, readTheme, type Theme } from "../theme.ts";
import { ProblemNotice } from "./problem.tsx";
import { Select } from "./select.tsx";

const text = messages.shell;
const themes: readonly [Theme, string][] = [
  ["system", text.themes.system],
  ["light", text.themes.light],
  ["dark", text.themes.dark],
];

type ShellProps = {
  pages: readonly { path: string; title: string; scopes: readonly Scope[] }[];
  children: ComponentChildren;
  onSignedOut: () => void;
};

/** The frame of every page: the navigation, the session and the theme. */
export function Shell({ pages, children, onSignedOut }: ShellProps) {
  const { path } = usePlace();
  const { can, organization, key } = useSession();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // A screen reader reads the new page from its beginning.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);

  const [error, setError] = useState<unknown>();
  async function leave(isEverywhere: boolean): Promise<void> {
    setError(undefined);
    await signOut({ isEverywhere }).then(onSignedOut, setError);
  }

  return (
    <>
      <a class="skip" href="#main">
        {text.skip}
      </a>
      <header class="top">
        <a class="brand" href="/console">
          <img class="mark" src={markAddress} alt="" />
          accountd
        </a>
        <nav aria-label={text.pages}>
          {pages
            .filter(({ scopes }) => scopes.every(can))
            .map((page) => (
              <a href={page.path} aria-current={isCurrent(page.path, path) ? "page" : undefined}>
                {page.title}
              </a>
            ))}
          <a href="/docs">API</a>
        </nav>
        <details class="menu">
          <summary>{organization.name}</summary>
          <div class="card">
            <p class="hint">
              {key.name === "" ? text.unnamedKey : key.name} <code>…{key.lastFour}</code>
            </p>
            <ThemeChoice />
            {error !== undefined && <ProblemNotice error={error} />}
            <button type="button" onClick={() => leavePage(() => leave(false))}>
              {text.signOut}
            </button>
            <button type="button" onClick={() => leavePage(() => leave(true))}>
              {text.signOutEverywhere}
            </button>
          </div>
        </details>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function isCurrent(page: string, path: string): boolean {
  return path === page || (page !== "/console" && path.startsWith(`${page}/`));
}

function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <Select
      label={text.theme}
      options={themes}
      value={theme}
      onChange={(chosen) => {
        applyTheme(chosen);
        setTheme(chosen);
      }}
    />
  );
}
