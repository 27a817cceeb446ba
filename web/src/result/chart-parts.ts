import type { Row } from "./shape-of.ts";
import type { SeriesPlan } from "./view-spec.ts";

export interface ChartProps {
  readonly rows: readonly Row[];
  readonly plan: SeriesPlan;
  readonly width: number;
  /** A value as people read it: charts load by themselves, and bring nothing along that the page has. */
  readonly format: (value: unknown, unit?: string) => string;
  readonly formatTick: (value: unknown) => string;
}

export const height = 280;
export const ticks = { fill: "var(--dim)", fontSize: 12 };

/** Nothing moves by itself: no animation, for people who asked for none and for everybody else. */
export const still = { isAnimationActive: false } as const;

/** Colours alone do not tell lines apart. */
export function strokeOf(index: number) {
  return { stroke: colourOf(index), strokeWidth: 2, strokeDasharray: ["", "6 3", "2 3", "8 3 2 3"][index % 4] ?? "" };
}

export const colourOf = (index: number) => `var(--series-${index + 1})`;

export function tooltipOf({ plan: { series }, format }: Pick<ChartProps, "plan" | "format">) {
  return {
    ...still,
    contentStyle: { background: "var(--surface)", border: "1px solid var(--line)", borderRadius: "var(--radius)", fontSize: 13 },
    labelStyle: { color: "var(--text)" },
    itemStyle: { color: "var(--text)" },
    formatter: (value: unknown, label: unknown) => format(value, series.find((member) => member.label === label)?.unit),
  };
}
