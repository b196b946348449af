import { formatNumber, formatSigned } from "../../format.ts";
import { account } from "../../messages/messages.ts";
import { type LoadedHealth, scoresOf, totalOf } from "./health-factors.ts";
import { outcomesOf, type ScoreOutcome } from "./score-outcomes.ts";

const text = account.outcomes;

/** What would change the score. */
export function ScoreOutcomes({ health, settings, status }: LoadedHealth & { status: string }) {
  if (status === "churned" || status === "inactive") {
    const score = totalOf(scoresOf(health.factors), settings);
    return (
      <section class="outcomes" aria-label={text.label}>
        <h3>{text.title}</h3>
        <p>
          {text.withoutScore[status]} {score === null ? text.noScore : text.activeScore(formatNumber(score))}
        </p>
      </section>
    );
  }
  const { raises, lowers } = outcomesOf(health, settings);
  return (
    <section class="outcomes" aria-label={text.label}>
      <h3>{text.title}</h3>
      <p class="hint">{text.hint}</p>
      <Outcomes title={health.score === null ? text.gives : text.raises} outcomes={raises} />
      <Outcomes title={text.lowers} outcomes={lowers} />
      {health.contactActivity.source === "api" && <p class="hint">{text.pinned}</p>}
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
                ? text.score(formatNumber(score))
                : `${formatSigned(change)} → ${formatNumber(score)}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
