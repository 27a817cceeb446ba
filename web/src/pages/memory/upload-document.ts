import { write } from "../../api/queries.ts";

/** What the server takes of a document, and of a part of it. */
const mostBytes = 50_000_000;
const partBytes = 250_000;

export interface UploadSite {
  readonly collection: string;
  /** How much of it is there, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Uploads a file in parts, and says whether it did: one that is there already as it is costs no upload. */
export async function uploadDocument(file: File, { collection, onProgress }: UploadSite): Promise<"uploaded" | "unchanged"> {
  if (file.size > mostBytes)
    throw new Error(`${file.name} has ${megabytes(file.size)}, and a document has at most ${megabytes(mostBytes)}.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const { upload } = await write("documents.begin", {
    ...{ collection, title: file.name, hash: await digestOf(bytes) },
    source: { kind: "file", place: file.name },
    mediaType: file.type || "application/octet-stream",
  });
  if (upload === undefined) return "unchanged";
  for (let part = 0; part === 0 || part * partBytes < bytes.length; part += 1) {
    const content = toBase64(bytes.subarray(part * partBytes, (part + 1) * partBytes));
    await write("documents.append", { upload, part, content }, []);
    onProgress(Math.min(1, ((part + 1) * partBytes) / bytes.length));
  }
  await write("documents.finish", { upload });
  return "uploaded";
}

const megabytes = (count: number) => `${(count / 1_000_000).toFixed(1)} MB`;

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (!isSecureContext)
    throw new Error("A browser uploads documents over https, or on the machine of the server. Or use: toolwright knowledge add.");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Bytes that are written as text at once: an argument each. */
const atOnce = 30_000;

function toBase64(bytes: Uint8Array): string {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += atOnce) texts.push(String.fromCharCode(...bytes.subarray(at, at + atOnce)));
  return btoa(texts.join(""));
}
