import { formatNumber } from "../../format.ts";
import { type AccountHealth, scoresOf, totalOf } from "./health-rules.ts";
import { outlookOf, type ScoreOutcome } from "./outlook.ts";

const signed = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: "exceptZero" });

/** What would change the score. */
export function Outlook({ health, status }: { health: AccountHealth; status: string }) {
  if (status === "churned" || status === "inactive") return <WithoutScore health={health} status={status} />;
  const { raises, lowers } = outlookOf(health);
  return (
    <section class="outlook" aria-label="What would change the score">
      <h3>What would change it</h3>
      <p class="hint">Each line: all other factors stay as they are.</p>
      <Outcomes title={health.score === null ? "Would give a score" : "Would raise it"} outcomes={raises} />
      <Outcomes title="Would lower it" outcomes={lowers} />
      {health.contactActivity.source === "api" && (
        <p class="hint">
          The last contact is set for the account. Other sources do not count until it is cleared.
        </p>
      )}
    </section>
  );
}

function WithoutScore({ health, status }: { health: AccountHealth; status: string }) {
  const score = totalOf(scoresOf(health.factors));
  return (
    <section class="outlook" aria-label="What would change the score">
      <h3>What would change it</h3>
      <p>
        {status === "churned" ? "A churned" : "An inactive"} account has no score.{" "}
        {score === null
          ? "As an active account it would have none either: less than 30 % of the weight is known."
          : `As an active account it would have a score of ${formatNumber(score)}.`}
      </p>
    </section>
  );
}

function Outcomes({ title, outcomes }: { title: string; outcomes: readonly ScoreOutcome[] }) {
  if (outcomes.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul>
        {outcomes.map(({ condition, reason, score, change }) => (
          <li key={condition}>
            <span>
              {condition}
              {reason !== undefined && <span class="hint below">{reason}</span>}
            </span>
            <span class="change">
              {change === null
                ? `score ${formatNumber(score)}`
                : `${signed.format(change)} → ${formatNumber(score)}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
