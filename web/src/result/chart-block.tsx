import { lazy, Suspense } from "react";
import { DataTable } from "./data-table.tsx";
import classes from "./result.module.css";
import { columnsOf, type Row } from "./shape-of.ts";
import { useWidth } from "./use-width.ts";
import {
  type ChartShape,
  columnsOfChart,
  describeChart,
  figureText,
  headingOf,
  mostPoints,
  planSeries,
  type SeriesPlan,
  tickText,
} from "./view-spec.ts";

const AxesChart = lazy(async () => ({ default: (await import("./charts.tsx")).AxesChart }));
const CornerChart = lazy(async () => ({ default: (await import("./radar-chart.tsx")).CornerChart }));

interface ChartBlockProps {
  readonly rows: readonly Row[];
  readonly shape: ChartShape;
  readonly title: string | undefined;
  readonly asked: Parameters<typeof planSeries>[1];
}

/** Rows drawn, and the same numbers as a table. */
export function ChartBlock({ rows, shape, title, asked }: ChartBlockProps) {
  const plan = planSeries(rows, asked);
  const [ref, width] = useWidth<HTMLDivElement>();
  if (!plan) return <DataTable rows={rows} columns={columnsOf(rows)} />;
  const shown = columnsOfChart(plan);
  const drawn = rows.slice(0, mostPoints[shape]);
  const chart = { rows: drawn, plan, width, format: figureText, formatTick: tickText };
  return (
    <div className={classes.chart}>
      {plan.series.length > 1 && <Legend plan={plan} />}
      <div ref={ref} role="img" aria-label={describeChart(shape, title, plan)} className={classes.plot}>
        <Suspense fallback={null}>
          {width > 0 && (shape === "radar" ? <CornerChart {...chart} /> : <AxesChart {...chart} shape={shape} />)}
        </Suspense>
      </div>
      {drawn.length < rows.length && (
        <p className="dim small">{`The chart shows the first ${drawn.length} of ${rows.length} rows, the table all of them.`}</p>
      )}
      <details>
        <summary>Numbers as a table</summary>
        <DataTable
          rows={rows}
          columns={shown.map(({ name }) => name)}
          labels={new Map(shown.map((column) => [column.name, headingOf(column)]))}
        />
      </details>
    </div>
  );
}

function Legend({ plan: { series } }: { readonly plan: SeriesPlan }) {
  return (
    <ul className={classes.legend} aria-label="Series">
      {series.map((member, index) => (
        <li key={member.name}>
          <span aria-hidden className={classes.swatch} style={{ background: `var(--series-${index + 1})` }} />
          {headingOf(member)}
        </li>
      ))}
    </ul>
  );
}
