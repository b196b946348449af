import type { ComponentChildren, ComponentType } from "preact";
import { resourceTypes } from "../../../shared/resources.ts";
import { type AddressCheck, type AddressParameters, checkParameters, searchParameter } from "../address.ts";
import { PageTitle } from "../components/layout.tsx";
import type { ShownPage } from "../components/shell.tsx";
import { LivePage } from "../live/live-page.tsx";
import {
  fields,
  healthSettings,
  importing,
  keys,
  organization,
  overview,
  pages as text,
  unmatched,
  webhooks,
} from "../messages/messages.ts";
import { navigate, usePlace } from "../router.ts";
import { useSession } from "../session.ts";
import { accountParameters } from "./account/day-plots.tsx";
import { AccountPage, isOfAccount } from "./account/page.tsx";
import { AccountsPage } from "./accounts/page.tsx";
import { checkAddress } from "./accounts/view.ts";
import { ContactsPage } from "./contacts/page.tsx";
import { contactParameters } from "./contacts/view.ts";
import { HealthSettingsPage } from "./health-settings/page.tsx";
import { ImportPage } from "./import/page.tsx";
import { KeysPage } from "./keys/page.tsx";
import { MeetingsPage } from "./meetings/page.tsx";
import { OrganizationPage } from "./organization/page.tsx";
import { OverviewPage } from "./overview/page.tsx";
import { RequestsPage } from "./requests/page.tsx";
import { requestParameters } from "./requests/view.ts";
import { UnmatchedPage } from "./unmatched/page.tsx";
import { unmatchedParameters } from "./unmatched/view.ts";
import { WebhooksPage, webhookParameters } from "./webhooks/page.tsx";

const allNouns = [...resourceTypes, "health_settings"];
const maxShownLength = 80;

/** Names the parameters of the address that have no effect, and removes them. Nothing if there are none. */
function IgnoredParameters({ path, check: { ignored, rest } }: { path: string; check: AddressCheck }) {
  if (ignored.length === 0) return null;
  const query = rest.toString();
  return (
    <div class="notice ignored-parameters" role="status">
      <p>
        <strong>{text.ignored}</strong>{" "}
        {ignored.map((part, i) => (
          <span key={part}>
            {i > 0 && ", "}
            <code>{part.length > maxShownLength ? `${part.slice(0, maxShownLength)}…` : part}</code>
          </span>
        ))}
        . {text.ignoredReason}
      </p>
      <button
        type="button"
        onClick={() => navigate(query === "" ? path : `${path}?${query}`, { isReplaced: true })}
      >
        {text.removeIgnored}
      </button>
    </div>
  );
}

/** The pages in the order of the navigation. One whose scopes the key lacks is absent. */
export const pages: readonly (ShownPage & {
  view: ComponentType;
  /** What its query can have. Default: nothing. */
  parameters?: AddressParameters;
  /** Checks a query that has more than parameters with fixed names. */
  check?: (query: URLSearchParams) => AddressCheck;
  /** The data that it shows: it is read again after a change. Default: it is not live. */
  nouns?: readonly string[];
})[] = [
  {
    path: "/console",
    icon: "dashboard",
    title: overview.title,
    view: OverviewPage,
    nouns: allNouns,
  },
  {
    path: "/console/accounts",
    icon: "building",
    title: fields.titles.account,
    view: AccountsPage,
    nouns: ["account", "contact", "meeting", "health_settings"],
    check: checkAddress,
  },
  {
    path: "/console/contacts",
    icon: "users",
    title: fields.titles.contact,
    view: ContactsPage,
    nouns: ["account", "contact"],
    parameters: contactParameters,
  },
  {
    path: "/console/meetings",
    icon: "calendar",
    title: fields.titles.meeting,
    view: MeetingsPage,
    nouns: ["account", "meeting"],
    parameters: searchParameter,
  },
  {
    path: "/console/requests",
    icon: "lightbulb",
    title: fields.titles.request,
    view: RequestsPage,
    nouns: ["account", "request"],
    parameters: requestParameters,
  },
  {
    path: "/console/unmatched",
    icon: "help",
    title: unmatched.title,
    view: UnmatchedPage,
    parameters: unmatchedParameters,
  },
  {
    path: "/console/import",
    icon: "upload",
    title: importing.title,
    scopes: ["read", "write"],
    view: ImportPage,
  },
  {
    path: "/console/health",
    icon: "activity",
    title: healthSettings.title,
    view: HealthSettingsPage,
    isSetting: true,
  },
  {
    path: "/console/keys",
    icon: "key",
    title: keys.title,
    scopes: ["admin"],
    view: KeysPage,
    isSetting: true,
  },
  {
    path: "/console/webhooks",
    icon: "webhook",
    title: webhooks.title,
    scopes: ["admin"],
    view: WebhooksPage,
    parameters: webhookParameters,
    nouns: allNouns,
    isSetting: true,
  },
  {
    path: "/console/organization",
    icon: "sliders",
    title: organization.title,
    scopes: ["admin"],
    view: OrganizationPage,
    isSetting: true,
  },
];

export function Page() {
  const { path, query } = usePlace();
  const { can } = useSession();
  const account = /^\/console\/accounts\/([1-9]\d{0,15})$/.exec(path)?.[1];
  if (account !== undefined && can("read"))
    return (
      <>
        <IgnoredParameters path={path} check={checkParameters(query, accountParameters)} />
        <LivePage key={account} isShown={(change) => isOfAccount(change, Number(account))}>
          <AccountPage accountId={Number(account)} />
        </LivePage>
      </>
    );
  const page = pages.find((candidate) => candidate.path === path);
  if (!page)
    return (
      <Message title={text.notFound}>
        {text.notFoundText} <a href="/console">{text.showOverview}</a>
      </Message>
    );
  const { scopes = ["read"] } = page;
  const missing = scopes.filter((scope) => !can(scope));
  if (missing.length > 0) return <Message title={page.title}>{text.missingScopes(missing)}</Message>;
  const check = page.check?.(query) ?? checkParameters(query, page.parameters ?? {});
  return (
    <>
      <IgnoredParameters path={path} check={check} />
      <LivePage key={path} isShown={({ type }) => page.nouns?.includes(type.split(".")[0] ?? "") === true}>
        <page.view />
      </LivePage>
    </>
  );
}

function Message({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <PageTitle title={title} />
      <p>{children}</p>
    </>
  );
}
