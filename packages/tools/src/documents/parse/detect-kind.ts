import type { DocumentKind } from "@toolwright/engine/ports";
import { cleanText } from "./clean-text.ts";
import { decodeText, latin1 } from "./decode-text.ts";
import { type ReadRequest, UnreadableError } from "./document.ts";
import type { DocumentNote } from "./document-note.ts";
import { refuseArchive, refuseByStart, refuseCompound, refuseKind } from "./refuse-kind.ts";
import { readDirectory, type ZipEntry } from "./zip.ts";

/** Kinds that are text, once it is decoded. */
type TextKind = Exclude<DocumentKind, "pdf" | "docx" | "mail">;

/** A document of a known kind, with its text where it is one. */
export type Detected =
  | { readonly kind: "pdf" | "mail"; readonly bytes: Uint8Array }
  | { readonly kind: "docx"; readonly entries: readonly ZipEntry[] }
  | { readonly kind: TextKind; readonly text: string; readonly notes: readonly DocumentNote[] };

/** Kinds of text by the ending of a name; what has another ending is plain text. */
const endings: readonly (readonly [pattern: RegExp, kind: TextKind])[] = [
  [/\.(?:html?|xhtml|xht)$/i, "html"],
  [/\.(?:md|markdown|mdx)$/i, "markdown"],
  [/\.(?:csv|tsv)$/i, "csv"],
  [/\.ipynb$/i, "notebook"],
];

const mediaTypes: ReadonlyMap<string, TextKind> = new Map([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/markdown", "markdown"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "csv"],
  ["application/x-ipynb+json", "notebook"],
]);

type Named = Pick<ReadRequest, "name" | "mediaType" | "encoding">;

/** Judges by the content first: names and media types can be wrong. Throws `empty`, `encrypted`, `unknown_kind` and `unknown_encoding`. */
export async function detectKind({ name, mediaType = "", encoding }: Named, bytes: Uint8Array): Promise<Detected> {
  if (bytes.length === 0) throw new UnreadableError("empty", "The file is empty: there is nothing to read.");
  const start = latin1(bytes.subarray(0, 4_096));
  if (isPdf(start, bytes)) return { kind: "pdf", bytes };
  if (start.startsWith("PK\x03\x04") || start.startsWith("PK\x05\x06")) return readArchive(bytes, name);
  if (start.startsWith("\xd0\xcf\x11\xe0")) throw refuseCompound(bytes);
  refuseByStart(start);
  const [essence = "", ...parameters] = mediaType.toLowerCase().split(";");
  const named = endings.find(([ending]) => ending.test(name))?.[1] ?? mediaTypes.get(essence.trim());
  if (named === undefined && isMail(start, name, essence.trim())) return { kind: "mail", bytes };
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]+)/.exec(each)?.[1]).find((each) => each !== undefined);
  const decoded = await decodeText(bytes, { encoding, charset, ...(named === "html" && { isMarkup: true }) });
  if (decoded === undefined) throw refuseKind("neither text nor a document of a kind that is known");
  const kind = named ?? kindOfText(decoded.text);
  const { text, notes } = kind === "html" ? { text: decoded.text, notes: [] } : cleanText(decoded.text);
  return { kind, text, notes: [...decoded.notes, ...notes] };
}

/** Its header may stand behind other bytes (PDF 2.0, 7.5.2, note 1), but texts about PDF name it too. */
function isPdf(start: string, bytes: Uint8Array): boolean {
  const at = start.indexOf("%PDF-");
  return (
    at >= 0 &&
    at < 1_024 &&
    (start.slice(0, at).trim() === "" || Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("endobj"))
  );
}

function readArchive(bytes: Uint8Array, name: string): Detected {
  const entries = readDirectory(bytes);
  if (entries.some((entry) => /^word\/document\d*\.xml$/.test(entry.name))) return { kind: "docx", entries };
  throw refuseArchive(entries, name);
}

/** The header of a message (RFC 5322, 2.2), or of one in a mailbox. */
function isMail(start: string, name: string, essence: string): boolean {
  const isNamed = /\.(?:eml|mht|mhtml|mbox)$/i.test(name) || ["message/rfc822", "multipart/related", "application/mbox"].includes(essence);
  const [header = ""] = start.replace(/^From .{0,200}\r?\n/, "").split(/\r?\n\r?\n/);
  if (!/^[A-Za-z][\w-]{1,60}:/.test(header)) return false;
  const fields = header.match(/^(?:from|to|cc|subject|date|message-id|received|return-path|delivered-to|mime-version|content-type):/gim);
  return (fields?.length ?? 0) >= (isNamed ? 1 : 2) && (isNamed || /^(?:message-id|received|mime-version):/im.test(header));
}

function kindOfText(text: string): TextKind {
  const start = text.slice(0, 4_000).replace(/<!--[\s\S]*?-->|<\?xml\b[^>]*>/g, "");
  if (/^\s*<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start)) return "html";
  return /^\s*\{/.test(text) && /"nbformat"\s*:\s*4\b/.test(text) ? "notebook" : "text";
}
