import { PolarAngleAxis, PolarGrid, PolarRadiusAxis, Radar, RadarChart, Tooltip } from "recharts";
import { type ChartProps, colourOf, height, still, strokeOf, ticks, tooltipOf } from "./chart-parts.ts";
import type { Row } from "./shape-of.ts";

/** Rows around a circle, one corner each. */
export function CornerChart({ rows, plan, width, format, formatTick }: ChartProps) {
  return (
    <RadarChart data={[...rows]} width={width} height={height} accessibilityLayer={false} outerRadius="80%">
      <PolarGrid stroke="var(--line)" />
      <PolarAngleAxis dataKey={plan.by} tick={ticks} tickSize={16} />
      <PolarRadiusAxis angle={90} tick={ticks} stroke="var(--line)" axisLine={false} tickFormatter={formatTick} />
      <Tooltip {...tooltipOf({ plan, format })} />
      {plan.series.map(({ name, label }, index) => (
        <Radar
          key={name}
          dataKey={(row: Row) => row[name] as number}
          name={label}
          {...strokeOf(index)}
          {...still}
          fill={colourOf(index)}
          fillOpacity={0.15}
        />
      ))}
    </RadarChart>
  );
}
