import type { DocumentKind } from "@toolwright/engine/ports";
import { type ReadRequest, UnreadableError } from "./document.ts";
import type { DocumentNote } from "./document-note.ts";
import { readDirectory, type ZipEntry } from "./zip.ts";

/** A document of a known kind, with its text where it is one. */
export type Detected =
  | { readonly kind: "pdf"; readonly bytes: Uint8Array }
  | { readonly kind: "docx"; readonly entries: readonly ZipEntry[] }
  | { readonly kind: Exclude<DocumentKind, "pdf" | "docx">; readonly text: string; readonly note?: DocumentNote };

const readable = "PDF, Word (.docx), HTML, Markdown, notebooks, CSV and other text can be read.";

/** Kinds of text by the ending of a name; what has another ending is plain text. */
const endings: readonly (readonly [pattern: RegExp, kind: Exclude<DocumentKind, "pdf" | "docx">])[] = [
  [/\.(?:html?|xhtml)$/i, "html"],
  [/\.(?:md|markdown|mdx)$/i, "markdown"],
  [/\.(?:csv|tsv)$/i, "csv"],
  [/\.ipynb$/i, "notebook"],
];

const mediaTypes: ReadonlyMap<string, Exclude<DocumentKind, "pdf" | "docx">> = new Map([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/markdown", "markdown"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "csv"],
  ["application/x-ipynb+json", "notebook"],
]);

/** Judges by the content first: names and media types can be wrong. Throws `empty`, `encrypted` and `unknown_kind`. */
export function detectKind({ name, mediaType = "" }: Pick<ReadRequest, "name" | "mediaType">, bytes: Uint8Array): Detected {
  if (bytes.length === 0) throw new UnreadableError("empty", "The file is empty: there is nothing to read.");
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  if (start.includes("%PDF-")) return { kind: "pdf", bytes };
  if (start.startsWith("PK\x03\x04") || start.startsWith("PK\x05\x06")) return archive(bytes);
  if (start.startsWith("\xd0\xcf\x11\xe0")) throw oldOffice(bytes);
  const { text, note } = decode(bytes);
  const byMediaType = mediaTypes.get(mediaType.split(";")[0]?.trim().toLowerCase() ?? "");
  const kind = kindOfText(text, endings.find(([ending]) => ending.test(name))?.[1] ?? byMediaType);
  return { kind, text, ...(note !== undefined && { note }) };
}

function archive(bytes: Uint8Array): Detected {
  const entries = readDirectory(bytes);
  const has = (pattern: RegExp) => entries.some(({ name }) => pattern.test(name));
  if (has(/^word\/document\d*\.xml$/)) return { kind: "docx", entries };
  const what = has(/^xl\//) ? "an Excel workbook: save its sheets as CSV" : has(/^ppt\//) ? "a PowerPoint file: save it as PDF" : undefined;
  throw new UnreadableError("unknown_kind", `The file is ${what ?? "an archive: unpack it first"}. ${readable}`);
}

/** A compound file: Word before 2007, or a newer document with a password. */
function oldOffice(bytes: Uint8Array): UnreadableError {
  const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from("EncryptedPackage", "utf16le"));
  return isEncrypted
    ? new UnreadableError("encrypted", "The document is encrypted. Save it without a password first.")
    : new UnreadableError("unknown_kind", `The file is an Office document of before 2007: save it as .docx or PDF. ${readable}`);
}

function decode(bytes: Uint8Array): { readonly text: string; readonly note?: DocumentNote } {
  const [first, second] = bytes;
  try {
    if (first === 0xff && second === 0xfe) return { text: new TextDecoder("utf-16le", { fatal: true }).decode(bytes) };
    if (first === 0xfe && second === 0xff) return { text: new TextDecoder("utf-16be", { fatal: true }).decode(bytes) };
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return { text };
  } catch {
    const { text, encoding } = decodeOther(bytes);
    if (!/(?![\t\n\f\r])\p{Cc}/u.test(text))
      return {
        text,
        note: { what: `The text is not UTF-8 and is read as ${encoding}`, advice: "Where letters look wrong, save the file as UTF-8." },
      };
  }
  throw new UnreadableError("unknown_kind", `The file is neither text nor a document of a kind that is known. ${readable}`);
}

/** By the encoding that a page of HTML names, where it is known. */
function decodeOther(bytes: Uint8Array): { readonly text: string; readonly encoding: string } {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  const [, label = "Windows-1252"] = /<meta\b[^>]{0,200}\bcharset\s*=\s*["']?([\w-]{1,40})/i.exec(start) ?? [];
  const read = (encoding: string) => ({ text: new TextDecoder(encoding).decode(bytes), encoding });
  try {
    return read(label);
  } catch {
    return read("Windows-1252");
  }
}

function kindOfText(text: string, named: Exclude<DocumentKind, "pdf" | "docx"> | undefined): Exclude<DocumentKind, "pdf" | "docx"> {
  if (named !== undefined) return named;
  if (/^\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html)[\s>]/is.test(text.slice(0, 2_000))) return "html";
  return /^\s*\{/.test(text) && /"nbformat"\s*:\s*4\b/.test(text) ? "notebook" : "text";
}
