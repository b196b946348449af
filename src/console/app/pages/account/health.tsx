import { type FactorKey, factorKeys, type HealthSettings, tierOf } from "../../../../shared/health.ts";
import { api } from "../../api.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot, type Series } from "../../components/plot.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { colorNameOfTier, TierName } from "../../components/values.tsx";
import { dayBefore, daysBetween } from "../../days.ts";
import { formatCount, formatNumber, formatPercent, formatTime } from "../../format.ts";
import { type RequestState, useRequest } from "../../use-request.ts";
import {
  type AccountHealth,
  countedText,
  type FactorReply,
  factorNames,
  scoresOf,
  textOfFactor,
  totalOf,
  uncountedText,
} from "./health-factors.ts";
import { outlookOf, type ScoreOutcome } from "./outlook.ts";

const signed = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: "exceptZero" });

/** The health of an account, and how it is computed. */
type LoadedHealth = { health: AccountHealth; settings: HealthSettings };

/** What would change the score. */
function Outlook({ health, settings, status }: LoadedHealth & { status: string }) {
  if (status === "churned" || status === "inactive")
    return <WithoutScore health={health} settings={settings} status={status} />;
  const { raises, lowers } = outlookOf(health, settings);
  return (
    <section class="outlook" aria-label="What would change the score">
      <h3>What would change it</h3>
      <p class="hint">Each line: all other factors stay as they are.</p>
      <Outcomes title={health.score === null ? "Would give a score" : "Would raise it"} outcomes={raises} />
      <Outcomes title="Would lower it" outcomes={lowers} />
      {health.contactActivity.source === "api" && (
        <p class="hint">
          The last activity is set for the account. Other sources do not count until it is cleared.
        </p>
      )}
    </section>
  );
}

function WithoutScore({ health, settings, status }: LoadedHealth & { status: string }) {
  const score = totalOf(scoresOf(health.factors), settings);
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

/** The score with every factor, and what would change it. */
export function HealthCard({ state, status }: { state: RequestState<LoadedHealth>; status: string }) {
  return (
    <Card title="Health" isWide>
      <Loaded state={state} height={18}>
        {({ health, settings }) => (
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
              <FactorTable factors={health.factors} settings={settings} />
              <Outlook health={health} settings={settings} status={status} />
            </div>
          </>
        )}
      </Loaded>
    </Card>
  );
}

type FactorRow = {
  name: FactorKey;
  factor: FactorReply | undefined;
  share: string;
  settings: HealthSettings;
};

/** The length of the bar is the weight of the factor; the filled part is its contribution. */
function Contribution({ name, factor, share, settings }: FactorRow) {
  const maxWeight = Math.max(...Object.values(settings.factors).map(({ weight }) => weight));
  const isCounted = factor?.contribution != null;
  return (
    <>
      <div class="bar thin" style={{ width: `${(settings.factors[name].weight / maxWeight) * 100}%` }}>
        {isCounted && (
          <span
            class={colorNameOfTier(tierOf(factor.score, settings))}
            style={{ width: `${factor.score}%` }}
          />
        )}
      </div>
      <span class="hint">
        {isCounted ? `${formatNumber(factor.contribution ?? 0)} of ${share}` : "not counted"}
      </span>
    </>
  );
}

const columns: readonly Column<FactorRow>[] = [
  {
    title: "Factor",
    isHeading: true,
    cell: ({ name, factor, settings }) => (
      <>
        {factorNames[name]}
        <span class="hint">{factor ? textOfFactor(factor) : uncountedText(name, settings)}</span>
        {factor && <span class="hint">{countedText(name, settings)}</span>}
      </>
    ),
  },
  { title: "Score", isNumber: true, cell: ({ factor }) => factor?.score ?? "–" },
  { title: "Weight", isNumber: true, cell: ({ name, settings }) => settings.factors[name].weight },
  { title: "Contribution", class: "contribution", cell: (row) => <Contribution {...row} /> },
];

function FactorTable({ factors, settings }: Pick<AccountHealth, "factors"> & Pick<LoadedHealth, "settings">) {
  const weight = factors.reduce((sum, factor) => sum + factor.weight, 0);
  if (weight === 0)
    return (
      <Empty title="No factor is known yet">
        <p>Send usage events, or create meetings and requests.</p>
      </Empty>
    );
  const rows = factorKeys.map((name): FactorRow => {
    const share = formatNumber(Math.round((settings.factors[name].weight * 1000) / weight) / 10);
    return { name, factor: factors.find(({ key }) => key === name), share, settings };
  });
  return (
    <Table
      label="Factors"
      class="factors"
      columns={columns}
      rows={rows}
      rowClass={({ factor }) => (factor ? undefined : "unknown")}
    />
  );
}

const dayCount = 90;

type ScoreHistory = { days: string[]; series: Series[]; hasScore: boolean };

async function loadScores(accountId: number, signal: AbortSignal): Promise<ScoreHistory> {
  const from = dayBefore(dayCount - 1);
  const to = dayBefore(0);
  const params = { path: { accountId }, query: { from, to } };
  const { data } = await api.GET("/api/v1/accounts/{accountId}/health/history", { params, signal });
  const scores = new Map(data.data.map(({ day, score }) => [day, score]));
  const days = daysBetween(from, to);
  const values = days.map((day) => scores.get(day) ?? null);
  const series = [{ name: "Score", color: "--series-1", values }];
  return { days, series, hasScore: values.some((value) => value !== null) };
}

/** The score of each day. */
export function ScoreHistoryCard({ accountId, version }: { accountId: number; version: number }) {
  const state = useRequest((signal) => loadScores(accountId, signal), [accountId, version]);
  const title = `Score over the last ${dayCount} days`;
  return (
    <Card title={title}>
      <Loaded state={state} height={18}>
        {({ days, series, hasScore }) =>
          hasScore ? (
            <DayPlot title={title} days={days} series={series} max={100} />
          ) : (
            <Empty title={`No score in the last ${dayCount} days`}>
              <p>The card “Health” shows what would give one.</p>
            </Empty>
          )
        }
      </Loaded>
    </Card>
  );
}
