import type { DocumentImage, DocumentPart } from "@toolwright/engine/ports";
import { readWhole } from "../../html/readable-page.ts";
import { withoutTerminal } from "./clean-text.ts";
import { UnreadableError } from "./document.ts";

/** Characters of the outputs of one cell. */
const mostOfOutputs = 20_000;

interface ReadCell extends DocumentPart {
  readonly cell: number;
  readonly pictures: readonly Omit<DocumentImage, "page" | "cell">[];
}

/** The cells of a notebook of format 3 or 4: text as it is, code and its outputs as blocks. Throws `damaged`. */
export function readCells(text: string): readonly ReadCell[] {
  const notebook = parse(text);
  const given = cellsOf(notebook);
  if (!isRecord(notebook) || given === undefined)
    throw new UnreadableError("damaged", "The file is no Jupyter notebook: it has no list of cells. Open and save it in Jupyter.");
  const metadata = isRecord(notebook.metadata) ? notebook.metadata : {};
  const { language_info: info, kernelspec: kernel } = metadata;
  const language = [isRecord(info) && info.name, isRecord(kernel) && kernel.language, isRecord(kernel) && kernel.name].find(
    (name) => typeof name === "string",
  );
  let headings: readonly string[] = [];
  return given.map((cell: unknown, index): ReadCell => {
    const { cell_type: type, source, input, level, outputs } = isRecord(cell) ? cell : {};
    const own = `${type === "heading" ? `${"#".repeat(Number(level) || 1)} ` : ""}${joined(source ?? input)}`;
    if (type !== "code") headings = headingsAfter(own, headings);
    const shown = type === "code" ? [block(own, typeof language === "string" ? language : ""), ...outputsOf(outputs)] : [own];
    return { cell: index + 1, headings, text: shown.filter((each) => each !== "").join("\n\n"), pictures: picturesOf(outputs) };
  });
}

/** Format 3 keeps its cells in sheets. */
function cellsOf(notebook: unknown): readonly unknown[] | undefined {
  if (!isRecord(notebook)) return undefined;
  const { cells, worksheets } = notebook;
  if (Array.isArray(cells)) return cells;
  if (!Array.isArray(worksheets)) return undefined;
  return worksheets.flatMap((sheet: unknown) => (isRecord(sheet) && Array.isArray(sheet.cells) ? sheet.cells : []));
}

function parse(text: string): unknown {
  for (const json of [() => text, () => withoutNaN(text)])
    try {
      return JSON.parse(json());
    } catch {
      // The next form is tried.
    }
  throw new UnreadableError("damaged", "The file is no notebook: its JSON is broken. Open and save it in Jupyter.");
}

/** Python writes numbers into JSON that are none there. Texts keep them. */
function withoutNaN(json: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < json.length; ) {
    const begin = json.indexOf('"', at);
    pieces.push(json.slice(at, begin < 0 ? json.length : begin).replace(/-?\b(?:NaN|Infinity)\b/g, "null"));
    if (begin < 0) break;
    at = endOfText(json, begin);
    pieces.push(json.slice(begin, at));
  }
  return pieces.join("");
}

/** Behind the quote that ends a text of JSON: an odd number of backslashes before one is part of it. */
function endOfText(json: string, begin: number): number {
  for (let end = json.indexOf('"', begin + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return json.length;
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
  const text = joinStreams(outputs)
    .map(textOfOutput)
    .filter((each) => each !== "")
    .join("\n");
  if (text === "") return [];
  const cut = text.length - mostOfOutputs;
  const shown = cut > 0 ? `${text.slice(0, mostOfOutputs).toWellFormed()}\n[${cut} more characters of output are left out]` : text;
  return [`Output:\n${block(shown.trimEnd(), "")}`];
}

/** What a program writes piece by piece is one text. */
function joinStreams(outputs: readonly unknown[]): readonly unknown[] {
  const all: { readonly output: unknown; readonly texts: string[] }[] = [];
  for (const output of outputs) {
    const last = all.at(-1);
    const text = isRecord(output) ? joined(output.text) : "";
    if (last && isSameStream(last.output, output)) last.texts.push(text);
    else all.push({ output, texts: [text] });
  }
  return all.map(({ output, texts }) => (texts.length > 1 && isRecord(output) ? { ...output, text: texts.join("") } : output));
}

function isSameStream(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other) || one.output_type !== "stream" || other.output_type !== "stream") return false;
  return (one.name ?? one.stream) === (other.name ?? other.stream);
}

/** The last state of lines that a program wrote several times, as those of progress. */
function asShown(text: string): string {
  return withoutTerminal(text)
    .text.split("\n")
    .map((line) => line.split("\r").findLast((state) => state.trim() !== "") ?? "")
    .join("\n");
}

function textOfOutput(output: unknown): string {
  if (!isRecord(output)) return "";
  const { output_type: type, text, data, traceback, ename, evalue } = output;
  if (Array.isArray(traceback)) return asShown(traceback.length > 0 ? traceback.join("\n") : `${ename}: ${evalue}`);
  if (type === "stream" || (text !== undefined && type === undefined)) return asShown(joined(text));
  return textOfData(isRecord(data) ? data : dataOfFormat3(output));
}

const dataOfFormat3 = (output: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [
      ...([
        ["text", "text/plain"],
        ["html", "text/html"],
        ["latex", "text/latex"],
        ["json", "application/json"],
      ] as const),
      ...([
        ["png", "image/png"],
        ["jpeg", "image/jpeg"],
        ["svg", "image/svg+xml"],
      ] as const),
    ].flatMap(([name, type]) => (output[name] === undefined ? [] : [[type, output[name]]])),
  );

/** The words of Python for an object that has only other forms. */
const noWords = /^<[\w.]+ (?:object|at 0x).*>$/s;

/** The form that says most in words. */
function textOfData(data: Readonly<Record<string, unknown>>): string {
  const kinds = Object.keys(data);
  const plain = joined(data["text/plain"]);
  const [json] = kinds.filter((kind) => /^application\/(?:json|geo\+json)$/.test(kind));
  const forms = [
    () => joined(data["text/markdown"]),
    () => (noWords.test(plain.trim()) ? "" : plain),
    () => (data["text/html"] === undefined ? "" : readWhole(joined(data["text/html"])).markdown),
    () => joined(data["text/latex"]),
    () => (json === undefined ? "" : JSON.stringify(data[json], null, 1)),
    () => plain,
  ];
  const text = asShown(forms.reduce((found, form) => found || form().trim(), ""));
  if (kinds.some((kind) => kind.startsWith("image/"))) return `[Image${text === "" ? "" : `: ${text}`}]`;
  return text === "" && kinds.length > 0 ? `[Output of the kind ${kinds.join(", ")}]` : text;
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
