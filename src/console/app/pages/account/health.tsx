import { Card, Empty, Loaded } from "../../components/card.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
import { TierName } from "../../components/tier.tsx";
import { formatCount, formatNumber, formatPercent, formatTime } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import { countedTexts, factorNames, textOfFactor, unknownTexts } from "./factor-text.ts";
import {
  type AccountHealth,
  type FactorName,
  type FactorReply,
  factorKeys,
  factorRules,
} from "./health-rules.ts";
import { Outlook } from "./outlook.tsx";

/** The score with every factor, and what would change it. */
export function HealthCard({ state, status }: { state: RequestState<AccountHealth>; status: string }) {
  return (
    <Card title="Health" isWide>
      <Loaded state={state} height={18}>
        {(health) => (
          <>
            <dl class="figures">
              <div>
                <dt>Score</dt>
                <dd>
                  <span class="figure">{health.score === null ? "–" : formatNumber(health.score)}</span>{" "}
                  <TierName tier={health.tier} />
                </dd>
              </div>
              <div>
                <dt>Coverage</dt>
                <dd>
                  <span class="figure">{formatPercent(health.coverage)}</span> of the weight is known
                </dd>
              </div>
              <div>
                <dt>As of</dt>
                <dd>{formatTime(health.asOf)}</dd>
              </div>
            </dl>
            {health.pendingEvents !== undefined && (
              <p class="notice">
                {formatCount(health.pendingEvents)} earlier events are being counted. The score changes after
                that.
              </p>
            )}
            <div class="health">
              <ScrollArea label="Factors">
                <FactorTable factors={health.factors} />
              </ScrollArea>
              <Outlook health={health} status={status} />
            </div>
          </>
        )}
      </Loaded>
    </Card>
  );
}

function FactorTable({ factors }: { factors: readonly FactorReply[] }) {
  const weight = factors.reduce((sum, factor) => sum + factor.weight, 0);
  if (weight === 0)
    return (
      <Empty title="No factor is known yet">
        <p>Send usage events, or create meetings and requests.</p>
      </Empty>
    );
  return (
    <table class="factors">
      <thead>
        <tr>
          <th scope="col">Factor</th>
          <th scope="col" class="number">
            Score
          </th>
          <th scope="col" class="number">
            Weight
          </th>
          <th scope="col">Contribution</th>
        </tr>
      </thead>
      <tbody>
        {factorKeys.map((key) => (
          <FactorRow
            key={key}
            name={key}
            factor={factors.find((factor) => factor.key === key)}
            weight={weight}
          />
        ))}
      </tbody>
    </table>
  );
}

/** The length of the bar is the weight of the factor; the filled part is its contribution. */
function FactorRow({
  name,
  factor,
  weight,
}: {
  name: FactorName;
  factor: FactorReply | undefined;
  weight: number;
}) {
  const maxWeight = Math.max(...Object.values(factorRules).map((rule) => rule.weight));
  const factorWeight = factorRules[name].weight;
  return (
    <tr class={factor ? undefined : "unknown"}>
      <th scope="row">
        {factorNames[name]}
        <span class="hint">{factor ? textOfFactor(factor) : unknownTexts[name]}</span>
        {factor && <span class="hint">{countedTexts[name]}</span>}
      </th>
      <td class="number">{factor ? factor.score : "–"}</td>
      <td class="number">{factorWeight}</td>
      <td class="contribution">
        <div class="bar thin" style={{ width: `${(factorWeight / maxWeight) * 100}%` }}>
          {factor?.contribution != null && (
            <span class={toneOf(factor.score)} style={{ width: `${factor.score}%` }} />
          )}
        </div>
        <span class="hint">
          {factor?.contribution == null
            ? "not counted"
            : `${formatNumber(factor.contribution)} of ${formatNumber(Math.round((factorWeight * 1000) / weight) / 10)}`}
        </span>
      </td>
    </tr>
  );
}

/** The colour of the tier that such a score has. */
function toneOf(score: number): string {
  if (score >= 80) return "healthy";
  if (score >= 60) return "attention";
  return score >= 40 ? "at-risk" : "critical";
}
