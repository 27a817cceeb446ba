import type { JsonObject } from "../contract/json.ts";

/** How people meet the tool: its place in a catalogue, its form and its result. No decision reads it. */
export interface ToolPresentation {
  /** Name of an icon, where `icon` of the definition is left out. */
  readonly icon?: string;
  /** Heading under which a catalogue lists the tool. */
  readonly category?: string;
  readonly form?: FormSpec;
  readonly view?: ViewSpec;
  /** The result by members of the output, where a `view` would say more than is needed. With a `view` nobody reads it. */
  readonly outputSections?: readonly OutputSection[];
}

/** How a form shows the input: JSON, checked when the tool is registered. Members are named as the input schema names them, at its top. */
export interface FormSpec {
  readonly version: 1;
  /** First to last; members that it leaves out follow. */
  readonly order?: readonly string[];
  readonly groups?: readonly FormGroup[];
  /** Members that stay out of sight until a person asks for more options. */
  readonly more?: readonly string[];
  readonly fields?: Readonly<Record<string, FormField>>;
  /** Members that no form shows, and that the server refuses from one. */
  readonly internal?: readonly string[];
  readonly embed?: {
    /** Members that configure the tool: a form inside another page leaves them out. */
    readonly hide: readonly string[];
  };
}

/** A part of a form with a heading. */
export interface FormGroup {
  readonly title: string;
  readonly help?: string;
  readonly fields: readonly string[];
}

/** How a form shows one input member. */
export interface FormField {
  /** Default: the schema's title, else the member's name in words. */
  readonly label?: string;
  /** Default: the schema's description. */
  readonly help?: string;
  readonly placeholder?: string;
  /** Default: `text` for strings, and what the schema's type suggests for others. */
  readonly widget?: "text" | "textarea" | "code" | "password" | "select" | "checkbox" | "file";
}

/** How people read the output: JSON, checked when the tool is registered. */
export interface ViewSpec {
  readonly version: 1;
  /** From top to bottom. */
  readonly blocks: readonly ViewBlock[];
}

interface AnyBlock {
  readonly title?: string;
  /** JSON pointer into the output: `/years`; `""` is all of it. */
  readonly data: string;
}

/** A member of an object, or of each object of a list. */
export interface ViewMember {
  readonly name: string;
  /** Default: the member's name in words. */
  readonly label?: string;
  /** Stands behind its values. */
  readonly unit?: string;
}

/** A few values in large type: one value, or members of an object. */
export interface SummaryBlock extends AnyBlock {
  readonly block: "summary";
  /** Default: each member that is a number, a text or a truth value. */
  readonly items?: readonly ViewMember[];
}

/** A list of objects as rows. */
export interface TableBlock extends AnyBlock {
  readonly block: "table";
  /** Default: every member that a row has. */
  readonly columns?: readonly ViewMember[];
}

/** A list of objects as bars or lines; the table of the same numbers is below it. */
export interface ChartBlock extends AnyBlock {
  readonly block: "chart";
  /** Default: `bar`. */
  readonly shape?: "bar" | "line";
  /** Member along the bottom. Default: the first that is no number. */
  readonly x?: string;
  /** Default: every member that is a number. */
  readonly series?: readonly ViewMember[];
}

/** A list of objects around a circle, one corner each; the table of the same numbers is below it. */
export interface RadarBlock extends AnyBlock {
  readonly block: "radar";
  /** Member that names a corner. Default: the first that is no number. */
  readonly axis?: string;
  /** Default: every member that is a number. */
  readonly series?: readonly ViewMember[];
}

/** A list of objects by one number, the largest first. */
export interface RankingBlock extends AnyBlock {
  readonly block: "ranking";
  /** Member that names an entry. Default: the first that is no number. */
  readonly label?: string;
  /** Default: the first member that is a number. */
  readonly score?: ViewMember;
}

/** A text in Markdown. */
export interface MarkdownBlock extends AnyBlock {
  readonly block: "markdown";
}

/** An image that the call saved: the id of the artifact, or what `ctx.artifacts.save` gave. */
export interface ImageBlock extends AnyBlock {
  readonly block: "image";
  /** What it shows, for people who do not see it. */
  readonly alt: string;
}

/** Files that the call saved, to be downloaded: the id of an artifact, what `ctx.artifacts.save` gave, or a list of them. */
export interface FileBlock extends AnyBlock {
  readonly block: "file";
}

/** A value for a page of your own, which finds the renderer by its name. The console and MCP Apps run no foreign code: they show JSON and say so. */
export interface CustomBlock extends AnyBlock {
  readonly block: "custom";
  readonly renderer: string;
  readonly config?: JsonObject;
}

/** One part of a result. */
export type ViewBlock =
  | SummaryBlock
  | TableBlock
  | ChartBlock
  | RadarBlock
  | RankingBlock
  | MarkdownBlock
  | ImageBlock
  | FileBlock
  | CustomBlock;

/** A member of the output with a heading and a block. */
export interface OutputSection {
  /** Name of the output member. */
  readonly key: string;
  readonly label: string;
  readonly type: "summary" | "table" | "chart" | "radar" | "ranking" | "custom";
  /** What else the block of that type takes: `{ "shape": "line" }`. */
  readonly config?: JsonObject;
}
