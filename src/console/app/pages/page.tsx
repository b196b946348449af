import type { ComponentType } from "preact";
import { type AddressCheck, checkParameters } from "../address.ts";
import { PageTitle } from "../components/layout.tsx";
import { messages } from "../messages/messages.ts";
import { navigate, usePlace } from "../router.ts";
import { type Scope, useSession } from "../session.ts";
import { AccountPage } from "./account/page.tsx";
import { accountParameters } from "./account/usage.tsx";
import { AccountsPage } from "./accounts/page.tsx";
import { checkAddress } from "./accounts/view.ts";
import { HealthSettingsPage } from "./health-settings/page.tsx";
import { ImportPage } from "./import/page.tsx";
import { KeysPage } from "./keys/page.tsx";
import { OverviewPage } from "./overview/page.tsx";
import { UnmatchedPage } from "./unmatched/page.tsx";
import { checkUnmatched } from "./unmatched/view.ts";

const maxShownLength = 80;

/** Names the parameters of the address that have no effect, and removes them. Nothing if there are none. */
function IgnoredParameters({ path, check: { ignored, rest } }: { path: string; check: AddressCheck }) {
  if (ignored.length === 0) return null;
  const query = rest.toString();
  return (
    <div class="notice ignored-parameters" role="status">
      <p>
        <strong>A part of the address has no effect:</strong>{" "}
        {ignored.map((text, i) => (
          <span key={text}>
            {i > 0 && ", "}
            <code>{text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text}</code>
          </span>
        ))}
        . This page does not have it, or cannot read it, so more may be shown than the address was meant for.
      </p>
      <button
        type="button"
        onClick={() => navigate(query === "" ? path : `${path}?${query}`, { isReplaced: true })}
      >
        Remove it from the address
      </button>
    </div>
  );
}

/** The pages in the order of the navigation. One whose scopes the key lacks is absent. */
export const pages: readonly {
  path: string;
  title: string;
  scopes: readonly Scope[];
  view: ComponentType;
  /** Checks the query of the address. Default: the page has no parameters. */
  check?: (query: URLSearchParams) => AddressCheck;
}[] = [
  { path: "/console", title: messages.overview.title, scopes: ["read"], view: OverviewPage },
  { path: "/console/accounts", title: "Accounts", scopes: ["read"], view: AccountsPage, check: checkAddress },
  {
    path: "/console/unmatched",
    title: messages.unmatched.title,
    scopes: ["read"],
    view: UnmatchedPage,
    check: checkUnmatched,
  },
  { path: "/console/import", title: "Import", scopes: ["read", "write"], view: ImportPage },
  {
    path: "/console/health",
    title: messages.healthSettings.title,
    scopes: ["read"],
    view: HealthSettingsPage,
  },
  { path: "/console/keys", title: "Keys", scopes: ["admin"], view: KeysPage },
];

export function Page() {
  const { path, query } = usePlace();
  const { can } = useSession();
  const account = /^\/console\/accounts\/([1-9]\d{0,15})$/.exec(path)?.[1];
  if (account !== undefined && can("read"))
    return (
      <>
        <IgnoredParameters path={path} check={checkParameters(query, accountParameters)} />
        <AccountPage key={account} accountId={Number(account)} />
      </>
    );
  const page = pages.find((candidate) => candidate.path === path);
  if (!page) return <MissingPage />;
  const missing = page.scopes.filter((scope) => !can(scope));
  if (missing.length > 0)
    return (
      <Message
        title={page.title}
        text={`This page needs a key with the scope ${missing.join(" and ")}. Sign out, and sign in with another key.`}
      />
    );
  const check = page.check?.(query) ?? checkParameters(query, {});
  return (
    <>
      <IgnoredParameters path={path} check={check} />
      <page.view />
    </>
  );
}

function MissingPage() {
  return (
    <>
      <PageTitle title="Page not found" />
      <p>
        There is no page at this address. <a href="/console">Show the overview</a>
      </p>
    </>
  );
}

function Message({ title, text }: { title: string; text: string }) {
  return (
    <>
      <PageTitle title={title} />
      <p>{text}</p>
    </>
  );
}
