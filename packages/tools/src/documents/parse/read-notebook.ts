import type { DocumentImage, DocumentPart } from "@toolwright/engine/ports";
import { UnreadableError } from "./document.ts";

/** Characters of the outputs of one cell. */
const mostOfOutputs = 20_000;

export interface ReadCell extends DocumentPart {
  readonly cell: number;
  readonly pictures: readonly Omit<DocumentImage, "page" | "cell">[];
}

/** The cells of a notebook of format 4: text as it is, code and its outputs as blocks. Throws `damaged`. */
export function readCells(text: string): readonly ReadCell[] {
  const notebook = parse(text);
  if (!isRecord(notebook) || !Array.isArray(notebook.cells))
    throw new UnreadableError(
      "damaged",
      "The file is no Jupyter notebook of format 4: it has no list of cells. Open and save it in Jupyter.",
    );
  const metadata = isRecord(notebook.metadata) ? notebook.metadata : {};
  const { language_info: info, kernelspec: kernel } = metadata;
  const language = [info, kernel]
    .flatMap((each) => (isRecord(each) ? [each.name, each.language] : []))
    .find((name) => typeof name === "string");
  let headings: readonly string[] = [];
  return notebook.cells.map((cell: unknown, index): ReadCell => {
    const { cell_type: type, source, outputs } = isRecord(cell) ? cell : {};
    const own = joined(source);
    if (type === "markdown") headings = headingsAfter(own, headings);
    const shown = type === "code" ? [block(own, typeof language === "string" ? language : ""), ...outputsOf(outputs)] : [own];
    return { cell: index + 1, headings, text: shown.filter((each) => each !== "").join("\n\n"), pictures: picturesOf(outputs) };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableError("damaged", "The file is no notebook: its JSON is broken. Open and save it in Jupyter.");
  }
}

/** The path of headings that holds from the end of a cell on. */
function headingsAfter(markdown: string, before: readonly string[]): readonly string[] {
  let path = [...before];
  for (const [, hashes = "", title = ""] of markdown.matchAll(/^(#{1,6}) +(.+?) *#*$/gm))
    path = [...path.slice(0, hashes.length - 1), title];
  return path;
}

function outputsOf(outputs: unknown): readonly string[] {
  if (!Array.isArray(outputs)) return [];
  const text = outputs
    .map(textOfOutput)
    .filter((each) => each !== "")
    .join("\n");
  if (text === "") return [];
  const cut = text.length - mostOfOutputs;
  const shown = cut > 0 ? `${text.slice(0, mostOfOutputs).toWellFormed()}\n[${cut} more characters of output are left out]` : text;
  return [`Output:\n${block(shown.trimEnd(), "")}`];
}

/** Colours and moves of a terminal (ECMA-48 section 5.4). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const controls = /\x1b\[[0-?]*[ -/]*[@-~]/g;

function textOfOutput(output: unknown): string {
  if (!isRecord(output)) return "";
  const { text, data, traceback, ename, evalue } = output;
  if (Array.isArray(traceback)) return (traceback.length > 0 ? traceback.join("\n") : `${ename}: ${evalue}`).replace(controls, "");
  if (text !== undefined) return joined(text).replace(controls, "");
  if (!isRecord(data)) return "";
  const kinds = Object.keys(data);
  const plain = joined(data["text/markdown"] ?? data["text/plain"]);
  return kinds.some((kind) => kind.startsWith("image/")) ? `[Image${plain === "" ? "" : `: ${plain}`}]` : plain;
}

function picturesOf(outputs: unknown): ReadCell["pictures"] {
  if (!Array.isArray(outputs)) return [];
  return outputs.flatMap((output) => {
    const data = isRecord(output) && isRecord(output.data) ? output.data : {};
    return ["image/png", "image/jpeg"].flatMap((mediaType) =>
      data[mediaType] === undefined ? [] : [{ mediaType, bytes: Uint8Array.from(Buffer.from(joined(data[mediaType]), "base64")) }],
    );
  });
}

function block(text: string, language: string): string {
  if (text === "") return "";
  const longest = Math.max(2, ...Array.from(text.matchAll(/^`{3,}/gm), ([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Texts are lists of lines, or one text. */
const joined = (text: unknown) =>
  Array.isArray(text) ? text.filter((line) => typeof line === "string").join("") : typeof text === "string" ? text : "";
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
