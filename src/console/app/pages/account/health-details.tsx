import { type FactorKey, factorKeys, sumOfWeights, tierOf } from "../../../../shared/health.ts";
import { type Column, Table } from "../../components/table.tsx";
import { colorNameOfTier } from "../../components/values.tsx";
import { formatNumber, formatPercent, formatTime } from "../../format.ts";
import { account, fields } from "../../messages/messages.ts";
import { type FactorReply, factorNames, type LoadedHealth, ruleOf } from "./health-factors.ts";

const text = account.health;

type FactorRow = {
  name: FactorKey;
  factor: FactorReply | undefined;
  /** The largest number of points that the factor can have. */
  share: string;
} & Pick<LoadedHealth, "settings">;

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
        {isCounted ? text.pointsOf(formatNumber(factor.contribution ?? 0), share) : text.uncounted}
      </span>
    </>
  );
}

const columns: readonly Column<FactorRow>[] = [
  {
    title: text.factor,
    isHeading: true,
    cell: ({ name, settings }) => (
      <>
        {factorNames[name]}
        <span class="hint below">{ruleOf(name, settings)}.</span>
        <span class="hint below">{text.counts[name]}</span>
      </>
    ),
  },
  { title: fields.labels.score, isNumber: true, cell: ({ factor }) => factor?.score ?? "–" },
  { title: text.weight, isNumber: true, cell: ({ name, settings }) => settings.factors[name].weight },
  { title: text.points, class: "contribution", cell: (row) => <Contribution {...row} /> },
];

/** The weights, rules and points of the factors, and how much of the weight is known. */
export function HealthDetails({ health: { factors, coverage, asOf }, settings }: LoadedHealth) {
  const weight = sumOfWeights(factors);
  const rows = factorKeys.map((name): FactorRow => {
    const share = weight === 0 ? 0 : Math.round((settings.factors[name].weight * 1000) / weight) / 10;
    return { name, factor: factors.find(({ key }) => key === name), share: formatNumber(share), settings };
  });
  return (
    <details class="health-details">
      <summary>{text.details}</summary>
      <p class="hint">
        {text.coverage(formatPercent(coverage))}
        <time dateTime={asOf}>{formatTime(asOf)}</time>
      </p>
      <Table
        class="factor-table stacking"
        columns={columns}
        rows={rows}
        rowClass={({ factor }) => (factor ? undefined : "unknown")}
      />
    </details>
  );
}
