import type { CallResult } from "../api/client.ts";
import type { Item } from "../api/queries.ts";
import { wordsOfName } from "../parts/words-of-name.ts";
import { columnsOf, type Row } from "./shape-of.ts";

export type ViewSpec = NonNullable<Item<"tools.list">["presentation"]["view"]>;
export type ViewBlock = ViewSpec["blocks"][number];
export type BlockOf<Name extends ViewBlock["block"]> = Extract<ViewBlock, { readonly block: Name }>;
export type Artifact = CallResult["artifacts"][number];

/** A member of an object or of rows, as people read it. */
export interface ShownMember {
  readonly name: string;
  readonly label: string;
  readonly unit?: string | undefined;
}

/** What a JSON pointer leads to (RFC 6901); undefined where it leads nowhere. */
export function valueAt(output: unknown, pointer: string): unknown {
  let value = output;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Row)[name] : undefined;
  }
  return value;
}

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

/** The rows of a list of objects; undefined for anything else. */
export function rowsOf(value: unknown): readonly Row[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

export function shownMember({
  name,
  label = wordsOfName(name),
  unit,
}: {
  readonly name: string;
  readonly label?: string;
  readonly unit?: string;
}): ShownMember {
  return { name, label, unit };
}

/** Above a column, and in a legend. */
export function headingOf({ label, unit }: ShownMember): string {
  return unit === undefined ? label : `${label} (${unit})`;
}

/** The columns of a table: those that the block names, else every member that a row has. */
export function columnsOfTable(rows: readonly Row[], { columns }: Pick<BlockOf<"table">, "columns">): readonly ShownMember[] {
  return (columns ?? columnsOf(rows).map((name) => ({ name }))).map(shownMember);
}

/** Those that the block names, else those of the object that hold one value. */
export function summaryOf(
  value: unknown,
  { items, title = "" }: BlockOf<"summary">,
): readonly (ShownMember & { readonly value: unknown })[] {
  if (!isObject(value)) return [{ name: title, label: title, value }];
  const named = items ?? Object.keys(value).flatMap((name) => (typeof value[name] === "object" ? [] : [{ name }]));
  return named.map((item) => ({ ...shownMember(item), value: value[item.name] }));
}

export interface SeriesPlan {
  /** Member that names a row. */
  readonly by: string;
  readonly series: readonly ShownMember[];
}

interface AskedSeries {
  readonly by?: string | undefined;
  readonly series?: readonly { readonly name: string; readonly label?: string; readonly unit?: string }[] | undefined;
}

/** What a chart draws of rows. Undefined where they hold no numbers to draw. */
export function planSeries(rows: readonly Row[], asked: AskedSeries): SeriesPlan | undefined {
  const names = columnsOf(rows);
  const isNumber = (name: string) => rows.some((row) => typeof row[name] === "number");
  const by = asked.by ?? names.find((name) => !isNumber(name)) ?? names[0];
  const series = (asked.series ?? names.filter((name) => name !== by && isNumber(name)).map((name) => ({ name }))).map(shownMember);
  return by === undefined || !series.some(({ name }) => isNumber(name)) ? undefined : { by, series: series.slice(0, mostSeries) };
}

export type ChartShape = "bar" | "line" | "radar";

/** Rows that a chart draws; more would be a blot. */
export const mostPoints = { bar: 200, line: 2_000, radar: 24 } as const;
const chartNames = { bar: "Bar chart", line: "Line chart", radar: "Radar chart" } as const;

/** A chart in words, for people who do not see it. */
export function describeChart(shape: ChartShape, title: string | undefined, { by, series }: SeriesPlan): string {
  const heading = title === undefined ? "" : `, ${title}`;
  const drawn = series.map(({ label }) => label).join(", ");
  return `${chartNames[shape]}${heading}: ${drawn} by ${shownMember({ name: by }).label}. The table below has the same numbers.`;
}

/** The columns of the table below a chart. */
export function columnsOfChart({ by, series }: SeriesPlan): readonly ShownMember[] {
  return [shownMember({ name: by }), ...series];
}

/** As many as there are colours. */
export const mostSeries = 8;

/** Entries that a ranking shows. */
export const mostRanks = 50;

export interface Rank {
  readonly label: string;
  readonly score: number;
  /** Of the longest bar. */
  readonly share: number;
}

/** Rows by their score, the largest first; without a number a row has no rank. */
export function rankRows(rows: readonly Row[], { label, score }: { readonly label: string; readonly score: string }): readonly Rank[] {
  const scored = rows.flatMap((row) => (typeof row[score] === "number" ? [{ label: String(row[label] ?? ""), score: row[score] }] : []));
  const largest = Math.max(0, ...scored.map((rank) => rank.score));
  return scored
    .sort((a, b) => b.score - a.score)
    .map((rank) => ({ ...rank, share: largest === 0 ? 0 : Math.max(0, rank.score / largest) }));
}

const figures = new Intl.NumberFormat("en", { maximumFractionDigits: 6, useGrouping: "min2" });

const ticks = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

/** A number beside an axis. */
export function tickText(value: unknown): string {
  return typeof value === "number" ? ticks.format(value) : String(value);
}

/** A value in one line, with its unit. */
export function figureText(value: unknown, unit?: string): string {
  if (value === undefined || value === null || value === "") return "–";
  const text = typeof value === "number" ? figures.format(value) : typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
  return unit === undefined ? text : unit === "%" ? `${text}%` : `${text} ${unit}`;
}

/** An address is none. */
const artifactId = /^[\w-]{1,128}$/;

/** The artifact that a value names: by its id, or as the call was given it. */
export function artifactOf(value: unknown, artifacts: readonly Artifact[]): NamedArtifact | undefined {
  const id = typeof value === "string" ? value : isObject(value) && typeof value.id === "string" ? value.id : undefined;
  if (id === undefined || !artifactId.test(id)) return undefined;
  const known = artifacts.find((artifact) => artifact.id === id);
  return known ?? { id, ...(isObject(value) && typeof value.name === "string" && { name: value.name }) };
}

/** The artifacts that the file blocks of a view offer. */
export function filesIn({ blocks }: ViewSpec, output: unknown): readonly Pick<Artifact, "id">[] {
  return blocks.flatMap(({ block, data }) => (block === "file" ? artifactsOf(valueAt(output, data), []) : []));
}

/** The artifact, or the list of them, that a value names. */
export function artifactsOf(value: unknown, artifacts: readonly Artifact[]): readonly NamedArtifact[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each) => artifactOf(each, artifacts) ?? []);
}

type NamedArtifact = Pick<Artifact, "id"> & Partial<Artifact>;
