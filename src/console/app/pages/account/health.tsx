import { factorKeys, tierOf } from "../../../../shared/health.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { TierMark, TierName } from "../../components/values.tsx";
import { formatCount, formatNumber } from "../../format.ts";
import { account } from "../../messages/messages.ts";
import type { RequestState } from "../../use-request.ts";
import { HealthDetails } from "./health-details.tsx";
import { fullScoreText, type LoadedHealth, textOfFactor, uncountedText } from "./health-factors.ts";
import { ScoreOutcomes } from "./outcome-lists.tsx";

const text = account.health;

/** The score with a sentence for each factor, and what would change it. */
export function HealthCard({ state, status }: { state: RequestState<LoadedHealth>; status: string }) {
  return (
    <Card title={text.title}>
      <Loaded state={state} height={18}>
        {({ health, settings }) => (
          <>
            {health.pendingEvents !== undefined && (
              <p class="notice">{text.pending(formatCount(health.pendingEvents))}</p>
            )}
            <div class="health">
              <div>
                <p class="health-score">
                  <span class="figure">{health.score === null ? "–" : formatNumber(health.score)}</span>{" "}
                  <TierName tier={health.tier} />
                </p>
                <FactorList health={health} settings={settings} />
              </div>
              <ScoreOutcomes health={health} settings={settings} status={status} />
            </div>
            <HealthDetails health={health} settings={settings} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function FactorList({ health: { factors }, settings }: LoadedHealth) {
  if (factors.every(({ weight }) => weight === 0))
    return <Empty title={text.nothing} advice={text.nothingAdvice} />;
  return (
    <ul class="factors" aria-label={text.factors}>
      {factorKeys.map((key) => {
        const factor = factors.find((each) => each.key === key);
        return (
          <li key={key}>
            <TierMark tier={factor ? tierOf(factor.score, settings) : null} />
            {factor ? (
              <span>
                {textOfFactor(factor)} <span class="hint">{fullScoreText(key, settings)}</span>
              </span>
            ) : (
              <span class="hint">{uncountedText(key, settings)}</span>
            )}
            <span class="score">{factor?.score ?? "–"}</span>
          </li>
        );
      })}
    </ul>
  );
}
