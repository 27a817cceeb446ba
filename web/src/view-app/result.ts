import type { Row } from "../result/shape-of.ts";
import type { Artifact, ViewSpec } from "../result/view-spec.ts";

/** What the server wrote into this file for one tool. */
export interface AppView {
  readonly title: string;
  readonly view: ViewSpec;
  /** Member of the structured content that has the notes of the call; null where there is no room for them. */
  readonly notes: string | null;
}

/** A result as MCP has it, read as far as it is used. */
export interface AppResult {
  readonly failed: boolean;
  readonly output: unknown;
  readonly notes: readonly string[];
  /** Addresses that hold the picture, in the order of the content. */
  readonly pictures: readonly string[];
  readonly artifacts: readonly Artifact[];
  readonly words: string;
}

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

/** Nothing of it is believed: it went through a host. */
export function readResult(params: unknown, { notes }: Pick<AppView, "notes">): AppResult {
  const { content, structuredContent: output, isError } = isObject(params) ? params : {};
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const said = notes !== null && isObject(output) ? output[notes] : undefined;
  return {
    failed: isError === true || output === undefined,
    output,
    notes: Array.isArray(said) ? said.filter((note) => typeof note === "string") : [],
    pictures: blocks.flatMap(pictureOf),
    artifacts: blocks.flatMap(artifactOf),
    words: blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n"),
  };
}

/** Pictures that a browser draws and that hold no program. */
const drawn = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const base64 = /^[\w+/]+=*$/;

function pictureOf({ type, data, mimeType }: Row): readonly string[] {
  const isPicture =
    type === "image" && typeof data === "string" && base64.test(data) && typeof mimeType === "string" && drawn.test(mimeType);
  return isPicture ? [`data:${mimeType};base64,${data}`] : [];
}

function artifactOf({ type, uri, name, mimeType, size }: Row): readonly Artifact[] {
  const id = type === "resource_link" && typeof uri === "string" ? /^artifact:\/\/([\w-]{1,128})$/.exec(uri)?.[1] : undefined;
  if (id === undefined || typeof name !== "string") return [];
  return [{ id, name, mediaType: typeof mimeType === "string" ? mimeType : "", size: typeof size === "number" ? size : 0 }];
}
