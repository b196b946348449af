import { Card } from "../../components/layout.tsx";
import { useSession } from "../../session.ts";

/** What to do first, for an organization without accounts. */
export function FirstSteps() {
  const { can, organization } = useSession();
  return (
    <Card title={`${organization.name} has no accounts yet`}>
      <ol class="steps">
        <li>
          <h3>Add accounts</h3>
          {can("write") ? (
            <>
              <p>
                Import a CSV file of your customers, with an external id for each: the id that your product
                uses.
              </p>
              <p class="row">
                <a class="button primary" href="/console/import">
                  Import accounts
                </a>
                <a class="button" href="/console/accounts">
                  Create one account
                </a>
              </p>
            </>
          ) : (
            <p>
              This key cannot create accounts. Sign in with a key that has the scope <code>write</code>, or
              import them with such a key.
            </p>
          )}
        </li>
        <li>
          <h3>Send usage events</h3>
          <p>
            Name the account by its external id. Replace <code>YOUR_KEY</code> by a key with the scope{" "}
            <code>events</code>.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard. */}
          <pre class="scroll" tabIndex={0}>
            <code>{commandOf(location.origin)}</code>
          </pre>
        </li>
        <li>
          <h3>Read the health</h3>
          <p>Scores appear here as soon as contact activity, usage, meetings or requests are known.</p>
        </li>
      </ol>
    </Card>
  );
}

function commandOf(origin: string): string {
  return [
    `curl -H 'x-api-key: YOUR_KEY' -H 'content-type: application/json' \\`,
    `  ${origin}/api/v1/events \\`,
    `  -d '{"events":[{"externalId":"acme","event":"report.exported","userId":"ada"}]}'`,
  ].join("\n");
}
