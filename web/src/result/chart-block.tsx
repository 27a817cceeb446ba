import { lazy, Suspense } from "react";
import { DataTable } from "./data-table.tsx";
import classes from "./result.module.css";
import type { Row } from "./shape-of.ts";
import { useWidth } from "./use-width.ts";
import { figureText, planSeries, type SeriesPlan, shownMember, tickText } from "./view-spec.ts";

const AxesChart = lazy(async () => ({ default: (await import("./charts.tsx")).AxesChart }));
const CornerChart = lazy(async () => ({ default: (await import("./radar-chart.tsx")).CornerChart }));

interface ChartBlockProps {
  readonly rows: readonly Row[];
  readonly shape: "bar" | "line" | "radar";
  readonly title: string | undefined;
  readonly asked: Parameters<typeof planSeries>[1];
}

const mostPoints = { bar: 200, line: 2_000, radar: 24 } as const;
const names = { bar: "Bar chart", line: "Line chart", radar: "Radar chart" } as const;

/** Rows drawn, and the same numbers as a table. */
export function ChartBlock({ rows, shape, title, asked }: ChartBlockProps) {
  const plan = planSeries(rows, asked);
  const [ref, width] = useWidth<HTMLDivElement>();
  if (!plan) return <DataTable rows={rows} columns={columnsOf(rows)} />;
  const drawn = rows.slice(0, mostPoints[shape]);
  const chart = { rows: drawn, plan, width, format: figureText, formatTick: tickText };
  const what = `${names[shape]}${title === undefined ? "" : `, ${title}`}: ${plan.series.map(({ label }) => label).join(", ")} by ${shownMember({ name: plan.by }).label}.`;
  return (
    <div className={classes.chart}>
      {plan.series.length > 1 && <Legend plan={plan} />}
      <div ref={ref} role="img" aria-label={`${what} The table below has the same numbers.`} className={classes.plot}>
        <Suspense fallback={null}>
          {width > 0 && (shape === "radar" ? <CornerChart {...chart} /> : <AxesChart {...chart} shape={shape} />)}
        </Suspense>
      </div>
      {drawn.length < rows.length && (
        <p className="dim small">{`The chart shows the first ${drawn.length} of ${rows.length} rows, the table all of them.`}</p>
      )}
      <details>
        <summary>Numbers as a table</summary>
        <DataTable rows={rows} columns={[plan.by, ...plan.series.map(({ name }) => name)]} labels={labelsOf(plan)} />
      </details>
    </div>
  );
}

function Legend({ plan: { series } }: { readonly plan: SeriesPlan }) {
  return (
    <ul className={classes.legend} aria-label="Series">
      {series.map(({ name, label, unit }, index) => (
        <li key={name}>
          <span aria-hidden className={classes.swatch} style={{ background: `var(--series-${index + 1})` }} />
          {unit === undefined ? label : `${label} (${unit})`}
        </li>
      ))}
    </ul>
  );
}

const columnsOf = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

function labelsOf({ by, series }: SeriesPlan): ReadonlyMap<string, string> {
  return new Map(
    [shownMember({ name: by }), ...series].map(({ name, label, unit }) => [name, unit === undefined ? label : `${label} (${unit})`]),
  );
}
