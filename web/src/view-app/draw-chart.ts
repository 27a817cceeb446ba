import { height, strokeOf, ticks } from "../result/chart-parts.ts";
import { scaleBand, scaleLinear } from "../result/scales.ts";
import { cellText, type Row } from "../result/shape-of.ts";
import { type SeriesPlan, tickText } from "../result/view-spec.ts";
import { shape } from "./element.ts";

export interface Drawing {
  readonly rows: readonly Row[];
  readonly plan: SeriesPlan;
  readonly width: number;
}

const edge = { top: 8, right: 12, bottom: 24, left: 52 };
const mostTicks = 5;
/** Pixels that the name of a row has beside the next one. */
const nameWidth = 84;
const longestName = 13;
const widestBar = 48;

/** Rows as bars or lines. */
export function drawAxes({ rows, plan, width }: Drawing, kind: "bar" | "line"): readonly SVGElement[] {
  const numbers = numbersOf(rows, plan);
  const y = scaleLinear()
    .domain([Math.min(0, ...numbers), Math.max(0, ...numbers)])
    .nice(mostTicks)
    .range([height - edge.bottom, edge.top]);
  const x = scaleBand<number>()
    .domain(rows.keys())
    .range([edge.left, width - edge.right])
    .padding(0.2);
  const middle = (index: number) => (x(index) ?? 0) + x.bandwidth() / 2;
  const lines = y
    .ticks(mostTicks)
    .flatMap((tick) => [
      shape("line", { x1: edge.left, x2: width - edge.right, y1: y(tick), y2: y(tick), stroke: "var(--line)" }),
      words(tickText(tick), { x: edge.left - 8, y: y(tick) + 4, "text-anchor": "end" }),
    ]);
  const step = Math.max(1, Math.ceil((rows.length * nameWidth) / Math.max(1, width - edge.left - edge.right)));
  const names = rows.flatMap((row, index) =>
    index % step === 0 ? [words(nameOf(row, plan), { x: middle(index), y: height - 6, "text-anchor": "middle" })] : [],
  );
  const band = Math.min(widestBar, x.bandwidth() / plan.series.length);
  const left = (index: number, nth: number) => middle(index) + band * (nth - plan.series.length / 2);
  const drawn = plan.series.flatMap(({ name }, nth) =>
    kind === "bar"
      ? rows.flatMap((row, index) => barOf(row[name], { x: left(index, nth), width: band, y, nth }))
      : [
          lineOf(
            rows.map((row, index) => pointOf(row[name], middle(index), y)),
            nth,
          ),
        ],
  );
  return [...lines, ...names, ...drawn];
}

interface BarPlace {
  readonly x: number;
  readonly width: number;
  readonly y: (value: number) => number;
  readonly nth: number;
}

function barOf(value: unknown, { x, width, y, nth }: BarPlace): readonly SVGElement[] {
  if (typeof value !== "number") return [];
  const [top, bottom] = [y(Math.max(0, value)), y(Math.min(0, value))];
  const place = { x: x + 0.5, y: top, width: Math.max(1, width - 1), height: bottom - top };
  return [shape("rect", { ...place, fill: strokeOf(nth).stroke })];
}

type Point = readonly [x: number, y: number];

const pointOf = (value: unknown, x: number, y: (value: number) => number): Point | undefined =>
  typeof value === "number" ? [x, y(value)] : undefined;

/** A row without a number is a gap. */
function lineOf(points: readonly (Point | undefined)[], nth: number): SVGElement {
  const steps = points.map((point, index) => (point ? `${points[index - 1] ? "L" : "M"}${point.join(" ")}` : ""));
  const { stroke } = strokeOf(nth);
  const dots = points.flatMap((point) => (point ? [shape("circle", { cx: point[0], cy: point[1], r: 3, fill: stroke })] : []));
  return shape("g", {}, [shape("path", { d: steps.join(""), fill: "none", ...strokeIn(nth) }), ...dots]);
}

/** Rows around a circle, one corner each. */
export function drawRadar({ rows, plan, width }: Drawing): readonly SVGElement[] {
  const [middle, centre] = [width / 2, height / 2];
  const radius = Math.max(48, Math.min(centre - 32, middle - nameWidth - 16));
  const reach = scaleLinear()
    .domain([0, Math.max(0, ...numbersOf(rows, plan))])
    .nice(mostTicks)
    .range([0, radius]);
  const at = (index: number, length: number): Point => {
    const angle = (index / rows.length) * 2 * Math.PI;
    return [middle + Math.sin(angle) * length, centre - Math.cos(angle) * length];
  };
  const ring = (lengths: readonly number[]) => lengths.map((length, index) => at(index, length).join(",")).join(" ");
  const grid = reach
    .ticks(mostTicks)
    .flatMap((tick) => [
      shape("polygon", { points: ring(rows.map(() => reach(tick))), fill: "none", stroke: "var(--line)" }),
      words(tickText(tick), { x: middle + 4, y: centre - reach(tick) + 12 }),
    ]);
  const corners = rows.map((row, index) => {
    const [x, y] = at(index, radius + 14);
    const side = Math.abs(x - middle) < 1 ? "middle" : x < middle ? "end" : "start";
    return words(nameOf(row, plan), { x, y: y + 4, "text-anchor": side });
  });
  const areas = plan.series.map(({ name }, nth) => {
    const lengths = rows.map((row) => (typeof row[name] === "number" ? Math.max(0, reach(row[name])) : 0));
    return shape("polygon", { points: ring(lengths), fill: strokeOf(nth).stroke, "fill-opacity": 0.15, ...strokeIn(nth) });
  });
  return [...grid, ...corners, ...areas];
}

function numbersOf(rows: readonly Row[], { series }: SeriesPlan): readonly number[] {
  return rows.flatMap((row) => series.flatMap(({ name }) => (typeof row[name] === "number" ? [row[name]] : [])));
}

/** The table below has the whole name. */
function nameOf(row: Row, { by }: SeriesPlan): string {
  const name = cellText(row[by]);
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}

function words(text: string, place: Readonly<Record<string, string | number>>): SVGElement {
  return shape("text", { ...place, fill: ticks.fill, "font-size": ticks.fontSize }, [text]);
}

function strokeIn(nth: number) {
  const { stroke, strokeWidth, strokeDasharray } = strokeOf(nth);
  return { stroke, "stroke-width": strokeWidth, "stroke-dasharray": strokeDasharray };
}
