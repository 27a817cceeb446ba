import { Bar, BarChart, CartesianGrid, Line, LineChart, Tooltip, XAxis, YAxis } from "recharts";
import { type ChartProps, colourOf, height, still, strokeOf, ticks, tooltipOf } from "./chart-parts.ts";
import type { Row } from "./shape-of.ts";
import type { ShownMember } from "./view-spec.ts";

type Shape = "bar" | "line";

const charts = { bar: BarChart, line: LineChart } as const;

/** Rows as bars or lines; who cannot see them reads the table beside. */
export function AxesChart({ rows, plan, width, format, formatTick, shape }: ChartProps & { readonly shape: Shape }) {
  const Chart = charts[shape];
  return (
    <Chart data={[...rows]} width={width} height={height} accessibilityLayer={false} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
      <CartesianGrid stroke="var(--line)" vertical={false} />
      <XAxis dataKey={plan.by} tick={ticks} stroke="var(--field)" tickLine={false} />
      <YAxis tick={ticks} tickLine={false} axisLine={false} width="auto" tickFormatter={formatTick} />
      <Tooltip {...tooltipOf({ plan, format })} cursor={{ fill: "var(--sunken)", stroke: "var(--line)" }} />
      {plan.series.map((member, index) => drawSeries(member, index, shape))}
    </Chart>
  );
}

function drawSeries({ name, label }: ShownMember, index: number, shape: Shape) {
  const common = { dataKey: (row: Row) => row[name] as number, name: label, ...still };
  const colour = colourOf(index);
  if (shape === "bar") return <Bar key={name} {...common} fill={colour} maxBarSize={48} />;
  return <Line key={name} {...common} {...strokeOf(index)} dot={{ r: 3, fill: colour, strokeDasharray: "" }} />;
}
