import { colourOf, height } from "../result/chart-parts.ts";
import { type Row, shapeOf } from "../result/shape-of.ts";
import {
  artifactsOf,
  type BlockOf,
  type ChartShape,
  columnsOfChart,
  columnsOfTable,
  describeChart,
  figureText,
  headingOf,
  mostPoints,
  mostRanks,
  planSeries,
  rankRows,
  rowsOf,
  type SeriesPlan,
  summaryOf,
  type ViewBlock,
} from "../result/view-spec.ts";
import { drawAxes, drawRadar } from "./draw-chart.ts";
import { drawTable } from "./draw-table.ts";
import { dim, element, shape } from "./element.ts";
import type { AppResult } from "./result.ts";

/** What a block shows beside its value. */
export interface BlockMatter extends Pick<AppResult, "artifacts"> {
  /** The picture of an image block. */
  readonly picture: string | undefined;
}

/** One part of a result. */
export function drawBlock(block: ViewBlock, value: unknown, { artifacts, picture }: BlockMatter): HTMLElement {
  if (block.block === "image" && picture !== undefined) return element("img", { src: picture, alt: block.alt });
  if (value === undefined || value === null) return dim("Nothing.");
  switch (block.block) {
    case "summary":
      return drawSummary(block, value);
    case "markdown":
      return drawValue(value);
    case "image":
      return dim(`${block.alt}: the image is kept where the tool ran, and is not shown here.`);
    case "file":
      return drawFiles(value, artifacts);
    case "custom":
      return element("div", { class: "stack" }, [
        dim(`This view has no renderer named ${block.renderer}, so the value is JSON.`),
        drawText(JSON.stringify(value, null, 2)),
      ]);
    default:
      return drawRows(block, value);
  }
}

/** A value that no block was made for. Markdown is shown as it is written. */
export function drawValue(value: unknown): HTMLElement {
  const seen = shapeOf(value);
  if (seen.kind === "text") return element("p", { class: "text" }, [seen.text]);
  if (seen.kind === "table") return drawTable(seen.rows, columnsOfTable(seen.rows, {}));
  return drawText(JSON.stringify(value, null, 2));
}

/** A long text, which a keyboard can scroll. */
export function drawText(text: string): HTMLElement {
  return element("pre", { tabindex: 0 }, [text]);
}

function drawSummary(block: BlockOf<"summary">, value: unknown): HTMLElement {
  const items = summaryOf(value, block);
  const [only] = items;
  if (only && items.length === 1 && only.label === (block.title ?? "")) return element("p", { class: "figure" }, [figureText(only.value)]);
  const figures = items.map(({ label, unit, value: figure }) =>
    element("div", {}, [element("dt", {}, [label]), element("dd", { class: "figure" }, [figureText(figure, unit)])]),
  );
  return element("dl", { class: "figures" }, figures);
}

function drawFiles(value: unknown, artifacts: AppResult["artifacts"]): HTMLElement {
  const files = artifactsOf(value, artifacts);
  if (files.length === 0) return dim("The output names no artifact.");
  const lines = files.map(({ id, name = id, size }) =>
    element("li", {}, size === undefined ? [name] : [`${name} (${figureText(size, size === 1 ? "byte" : "bytes")})`]),
  );
  return element("ul", {}, lines);
}

function drawRows(block: BlockOf<"table" | "chart" | "radar" | "ranking">, value: unknown): HTMLElement {
  const rows = rowsOf(value);
  if (!rows) return drawValue(value);
  if (rows.length === 0) return dim("No rows.");
  switch (block.block) {
    case "table":
      return drawTable(rows, columnsOfTable(rows, block));
    case "chart":
      return drawChart(rows, {
        shape: block.shape ?? "bar",
        title: block.title,
        plan: planSeries(rows, { by: block.x, series: block.series }),
      });
    case "radar":
      return drawChart(rows, { shape: "radar", title: block.title, plan: planSeries(rows, { by: block.axis, series: block.series }) });
    case "ranking":
      return drawRanking(block, rows);
  }
}

interface ChartPlan {
  readonly shape: ChartShape;
  readonly title: string | undefined;
  readonly plan: SeriesPlan | undefined;
}

/** Rows drawn as wide as there is room, and the same numbers as a table. */
function drawChart(rows: readonly Row[], { shape: kind, title, plan }: ChartPlan): HTMLElement {
  if (!plan) return drawTable(rows, columnsOfTable(rows, {}));
  const drawn = rows.slice(0, mostPoints[kind]);
  const plot = shape("svg", { height, role: "img", "aria-label": describeChart(kind, title, plan), class: "plot" });
  new ResizeObserver(([entry]) => {
    const drawing = { rows: drawn, plan, width: Math.floor(entry?.contentRect.width ?? 0) };
    plot.replaceChildren(...(kind === "radar" ? drawRadar(drawing) : drawAxes(drawing, kind)));
  }).observe(plot);
  const legend = plan.series.length > 1 ? [drawLegend(plan)] : [];
  const cut = drawn.length < rows.length ? [dim(`The chart shows the first ${drawn.length} of ${rows.length} rows.`)] : [];
  return element("div", { class: "stack" }, [...legend, plot, ...cut, numbers(drawTable(rows, columnsOfChart(plan)))]);
}

function drawLegend({ series }: SeriesPlan): HTMLElement {
  const lines = series.map((member, index) => {
    const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = colourOf(index);
    return element("li", {}, [swatch, headingOf(member)]);
  });
  return element("ul", { class: "legend", "aria-label": "Series" }, lines);
}

function drawRanking(block: BlockOf<"ranking">, rows: readonly Row[]): HTMLElement {
  const plan = planSeries(rows, { by: block.label, series: block.score && [block.score] });
  const [score] = plan?.series ?? [];
  if (!plan || !score) return drawValue(rows);
  const ranks = rankRows(rows, { label: plan.by, score: score.name });
  const lines = ranks.slice(0, mostRanks).map(({ label, score: points, share }) => {
    const bar = element("span", { class: "bar" });
    bar.style.width = `${share * 100}%`;
    const words = element("span", { class: "rank" }, [
      element("span", {}, [label]),
      " ",
      element("span", {}, [figureText(points, score.unit)]),
    ]);
    return element("li", {}, [words, element("span", { class: "track", "aria-hidden": "true" }, [bar])]);
  });
  const left = rows.length - ranks.length;
  return element("div", { class: "stack" }, [
    element("ol", { class: "ranks" }, lines),
    ...(left > 0 ? [dim(`${left} without a number are left out.`)] : []),
    ...(ranks.length > mostRanks ? [dim(`The first ${mostRanks} of ${ranks.length}.`)] : []),
    numbers(drawTable(rows, columnsOfTable(rows, {}))),
  ]);
}

function numbers(table: HTMLElement): HTMLElement {
  return element("details", {}, [element("summary", {}, ["Numbers as a table"]), table]);
}
