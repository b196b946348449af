import { Card } from "../../components/layout.tsx";
import { overview } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";

const text = overview.firstSteps;

/** What to do first, for an organization without accounts. */
export function FirstSteps() {
  const { can, organization } = useSession();
  return (
    <Card title={text.title(organization.name)}>
      <ol class="steps">
        <li>
          <h3>{text.add}</h3>
          {can("write") ? (
            <>
              <p>{text.addHint}</p>
              <p class="row">
                <a class="button primary" href="/console/import">
                  {text.import}
                </a>
                <a class="button" href="/console/accounts">
                  {text.create}
                </a>
              </p>
            </>
          ) : (
            <p>{text.cannotAdd}</p>
          )}
        </li>
        <li>
          <h3>{text.send}</h3>
          <p>{text.sendHint}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard. */}
          <pre class="scroll" tabIndex={0}>
            <code>{commandOf(location.origin)}</code>
          </pre>
        </li>
        <li>
          <h3>{text.read}</h3>
          <p>{text.readHint}</p>
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
