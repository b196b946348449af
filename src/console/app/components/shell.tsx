import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { markAddress } from "../../../shared/mark.ts";
import { formatTime } from "../format.ts";
import { shell as text } from "../messages/messages.ts";
import { CreateAccountDialog } from "../pages/accounts/create-account.tsx";
import { PaletteOpener } from "../palette/opener.tsx";
import { leavePage, openPage, usePlace } from "../router.ts";
import { type Scope, signOut, useSession } from "../session.ts";
import { applyTheme, readTheme, type Theme } from "../theme.ts";
import { useEvent } from "../use-event.ts";
import { useAction } from "../use-request.ts";
import { Dialog } from "./dialog.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Popover } from "./popover.tsx";
import { ProblemNotice } from "./problem.tsx";
import { Select } from "./select.tsx";

const themes: readonly [Theme, string][] = [
  ["system", text.themes.system],
  ["light", text.themes.light],
  ["dark", text.themes.dark],
];

/** A page in the navigation. A key that lacks one of the scopes, by default `read`, does not see it. */
export type ShownPage = {
  path: string;
  icon: IconName;
  title: string;
  scopes?: readonly Scope[];
  /** Whether it is of the settings, apart from the pages about customers. */
  isSetting?: boolean;
};
type ShellProps = {
  pages: readonly ShownPage[];
  children: ComponentChildren;
  onSignedOut: () => void;
};

/** The frame of every page: the navigation, the session and the theme. */
export function Shell({ pages, children, onSignedOut }: ShellProps) {
  const { path } = usePlace();
  const { can, organization, key, backupFailedAt } = useSession();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // A screen reader reads the new page from its beginning.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);

  const [isCreating, setIsCreating] = useState(false);
  const { error, run, reset } = useAction();
  const leave = (isEverywhere: boolean) => run(() => signOut({ isEverywhere }).then(onSignedOut));

  const allowed = pages.filter(({ scopes = ["read"] }) => scopes.every(can));
  const settings = allowed.filter(({ isSetting }) => isSetting);
  const primary = allowed.filter(({ isSetting }) => !isSetting);
  const pageEntries = [...primary, ...settings].map((page) => ({
    key: `page-${page.path}`,
    icon: page.icon,
    label: page.title,
    run: () => openPage(page.path),
  }));
  const creation = {
    key: "create",
    icon: "plus" as const,
    label: text.createAccount,
    run: () => leavePage(() => setIsCreating(true)),
  };
  const actions = [
    ...(can("write") ? [creation] : []),
    { key: "reference", icon: "code" as const, label: text.reference, run: () => location.assign("/docs") },
    ...themes.map(([theme, name]) => ({
      key: `theme-${theme}`,
      icon: theme === "dark" ? ("moon" as const) : ("sun" as const),
      label: text.themeIs(name),
      run: () => applyTheme(theme),
    })),
    {
      key: "sign-out",
      icon: "signOut" as const,
      label: text.signOut,
      run: () => leavePage(() => leave(false)),
    },
  ];
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
          {primary.map((page) => (
            <PageLink key={page.path} page={page} path={path} />
          ))}
        </nav>
        <PaletteOpener pages={pageEntries} actions={actions} />
        <div class="menu">
          <Popover label={<span class="clip">{organization.name}</span>}>
            {(close) => (
              <>
                <p class="hint">
                  {key.name === "" ? text.unnamedKey : key.name} <code>…{key.lastFour}</code>
                </p>
                <nav aria-label={text.settings}>
                  {settings.map((page) => (
                    <PageLink key={page.path} page={page} path={path} onClick={close} />
                  ))}
                  <a href="/docs">
                    <Icon name="code" />
                    {text.reference}
                  </a>
                </nav>
                <ThemeChoice />
                <button type="button" onClick={() => leavePage(() => leave(false))}>
                  {text.signOut}
                </button>
                <button type="button" onClick={() => leavePage(() => leave(true))}>
                  {text.signOutEverywhere}
                </button>
              </>
            )}
          </Popover>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {backupFailedAt !== undefined && (
          <p class="notice failing">{text.backupFailed(formatTime(backupFailedAt))}</p>
        )}
        {children}
      </main>
      {error !== undefined && (
        <Dialog title={text.signOutFailed} onClose={reset}>
          <ProblemNotice error={error} />
        </Dialog>
      )}
      {isCreating && <CreateAccountDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

type PageLinkProps = { page: ShownPage; path: string; onClick?: () => void };

function PageLink({ page, path, onClick }: PageLinkProps) {
  const isCurrent = path === page.path || (page.path !== "/console" && path.startsWith(`${page.path}/`));
  return (
    <a href={page.path} aria-current={isCurrent ? "page" : undefined} onClick={onClick}>
      <Icon name={page.icon} />
      {page.title}
    </a>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme);
  useEvent(window, "themechange", () => setTheme(readTheme()));
  return <Select label={text.theme} options={themes} value={theme} onChange={applyTheme} />;
}
