import { type ArtifactRef, type Attachment, type Failure, fail, type ReadFiles } from "@toolwright/engine";
import { z } from "zod";
import { tooLarge, usualLimits } from "./parse/document.ts";
import { unreadable } from "./parse/document-parser.ts";

/** Member of an input that reads text. */
export const encodingInput = z
  .string()
  .min(1)
  .max(40)
  .regex(/^[\w.:-]+$/)
  .nullish()
  .describe("Encoding of the text, such as windows-1251, shift_jis or cp437. Default: what the text itself tells; a note names a guess.");

/** Members of an input that names a document. */
export const documentInput = {
  path: z.string().min(1).nullish().describe("Path of the file, relative to the workspace. Give this or attachment."),
  attachment: z
    .string()
    .min(1)
    .nullish()
    .describe("Id of an artifact, such as an attachment of the conversation, or the name of a file that came with this call."),
};

export const documentAliases = {
  ...{ file: "path", file_path: "path", filename: "path", document: "path" },
  ...{ artifact: "attachment", artifact_id: "attachment", attachment_id: "attachment" },
} as const;

interface NamedDocument {
  readonly path?: string | null | undefined;
  readonly attachment?: string | null | undefined;
}

interface DocumentSite {
  readonly files: ReadFiles;
  readonly attachments: readonly Attachment[];
  readonly artifacts: {
    read(id: string, range?: { readonly length?: number }): Promise<{ readonly ref: ArtifactRef; readonly bytes: Uint8Array }>;
  };
}

interface TakenDocument {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The bytes of a document. Rejects with `document_unreadable` for one that is too large, before it is read. */
export async function takeDocument({ path, attachment }: NamedDocument, site: DocumentSite): Promise<TakenDocument | Failure> {
  if ((path == null) === (attachment == null))
    return fail("which_document", "Give either path or attachment: one of them names the document.");
  if (path != null) return takeFile(path, site.files);
  const given = site.attachments.find(({ name }) => name === attachment);
  if (given) return { name: given.name, bytes: await given.bytes() };
  const id = attachment ?? "";
  const { ref } = await site.artifacts.read(id, { length: 0 });
  refuseLarge(ref.size);
  const { bytes } = await site.artifacts.read(id);
  return { name: ref.name, bytes };
}

async function takeFile(path: string, files: ReadFiles): Promise<TakenDocument> {
  const { size } = await files.stat(path);
  refuseLarge(size);
  return { name: path.split("/").at(-1) ?? path, bytes: await files.readBytes(path, { maxBytes: usualLimits.bytes }) };
}

function refuseLarge(size: number): void {
  if (size > usualLimits.bytes) throw unreadable(tooLarge(size, usualLimits.bytes).unreadable);
}

/** How a person is asked about it. */
export const nameOfDocument = ({ path, attachment }: NamedDocument) => path ?? attachment ?? "a document";
