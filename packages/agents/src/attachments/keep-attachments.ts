import { type ArtifactRef, type Attachment, type Json, ToolwrightError } from "@toolwright/engine";
import type { ArtifactOwner, ArtifactStore } from "@toolwright/engine/ports";
import { addressOf } from "./artifact-address.ts";

/** Bytes of one attachment: what models take of one file is less. */
const mostAttachmentBytes = 10_000_000;
const mostAttachments = 10;

/** What a message brings along. */
export interface Attached {
  /** Files that came with the call. */
  readonly files?: readonly Attachment[] | undefined;
  /** Ids of artifacts that are there already. */
  readonly attachments?: readonly string[] | null | undefined;
}

interface ReadFile {
  readonly meta: { readonly name: string; readonly mediaType: string };
  readonly bytes: Uint8Array;
}

/** Attachments that may go with a message, none of which is kept yet. */
interface ReadAttachments {
  readonly files: readonly ReadFile[];
  readonly kept: readonly ArtifactRef[];
}

/** Rejects for one that cannot be read or is too large. Nothing is stored by then. */
export async function readAttachments(
  { files, attachments }: Attached,
  tenant: string,
  artifacts: Pick<ArtifactStore, "read">,
): Promise<ReadAttachments> {
  const [given, named] = [files ?? [], attachments ?? []];
  const count = given.length + named.length;
  if (count > mostAttachments)
    throw new ToolwrightError(
      "invalid_input",
      `The message has ${count} attachments; one has at most ${mostAttachments}. Nothing was sent.`,
    );
  return {
    files: await Promise.all(given.map(readFile)),
    kept: await Promise.all(
      named.map(async (id) => {
        const { ref } = await artifacts.read(tenant, id, { length: 0 });
        requireSize(ref.name, ref.size);
        return ref;
      }),
    ),
  };
}

async function readFile({ name, mediaType, bytes: read }: Attachment): Promise<ReadFile> {
  const bytes = await read().catch((cause: unknown) => {
    const message = `The attachment ${JSON.stringify(name)} cannot be read, so nothing was sent. Attach it again, or send the message without it.`;
    throw new ToolwrightError("invalid_input", message, { cause });
  });
  requireSize(name, bytes.length);
  return { meta: { name, mediaType }, bytes };
}

function requireSize(name: string, size: number): void {
  if (size <= mostAttachmentBytes) return;
  const [has, most] = [size.toLocaleString("en"), mostAttachmentBytes.toLocaleString("en")];
  const message = `The attachment ${JSON.stringify(name)} has ${has} bytes and one may have ${most}, so nothing was sent. Attach a part of it.`;
  throw new ToolwrightError("file_too_large", message, { details: { size, limit: mostAttachmentBytes } });
}

/** Rejects a message of blanks alone: providers refuse it, and with it the conversation that holds it. */
export function requireContent(text: string, { files, kept }: ReadAttachments): void {
  if (text.trim() !== "" || files.length + kept.length > 0) return;
  throw new ToolwrightError("invalid_input", "The message is empty, so nothing was sent. Write a message, or attach a file.");
}

/** Keeps the files as artifacts of the conversation, with which they go. */
export async function keepAttachments(
  { files, kept }: ReadAttachments,
  owner: ArtifactOwner,
  artifacts: Pick<ArtifactStore, "create">,
): Promise<readonly ArtifactRef[]> {
  const made: ArtifactRef[] = [];
  for (const { meta, bytes } of files) {
    const writer = await artifacts.create(owner, meta);
    try {
      await writer.write(bytes);
      made.push(await writer.finish());
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }
  return [...made, ...kept];
}

/** The message of a person as the conversation holds it: attachments by their ids, never by their bytes. */
export function messageWith(text: string, attachments: readonly ArtifactRef[]): Json {
  if (attachments.length === 0) return { role: "user", content: text };
  const parts = attachments.map(({ id, name, mediaType, size }) => ({
    ...{ type: "file", data: addressOf(id), filename: name, mediaType },
    providerOptions: { toolwright: { size } },
  }));
  return { role: "user", content: [...(text.trim() === "" ? [] : [{ type: "text", text }]), ...parts] };
}
