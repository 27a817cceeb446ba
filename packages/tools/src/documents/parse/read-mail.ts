import type { DocumentPart } from "@toolwright/engine/ports";
import PostalMime, { type Address, type Email } from "postal-mime";
import { readWhole } from "../../html/readable-page.ts";
import { latin1 } from "./decode-text.ts";
import { UnreadableError } from "./document.ts";
import type { Gathering } from "./gather.ts";
import { readSections } from "./read-markdown.ts";

/** The messages of a file as Markdown: subject, people, date and words. A mailbox holds several; a saved page (MHTML) is one. Throws `damaged`. */
export async function readMail(bytes: Uint8Array, { into }: { readonly into: Gathering }): Promise<readonly DocumentPart[]> {
  const attached: string[] = [];
  const texts: string[] = [];
  for (const message of messagesOf(bytes)) {
    const mail = await parse(message);
    const isSaved = isPage(mail);
    texts.push(isSaved ? readWhole(mail.html ?? "").markdown : writeMail(mail));
    if (isSaved) continue;
    attached.push(...mail.attachments.filter((each) => !each.related).map(({ filename, mimeType }) => filename ?? mimeType));
  }
  if (attached.length > 0) {
    const what = "Attachments of the message are left out";
    into.note({ what, count: attached.length, names: attached, advice: "Save them as files and read each." });
  }
  return readSections(texts.join("\n\n"), { lines: false });
}

/** A mailbox has a line before each message that begins with `From ` and ends in a year (RFC 4155). */
function messagesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const text = latin1(bytes);
  if (!text.startsWith("From ")) return [bytes];
  const starts = [...text.matchAll(/^From .{1,200}\b\d{4}\r?\n/gm)].map(({ index, 0: line }) => ({ index, begin: index + line.length }));
  return starts.map(({ begin }, at) => bytes.subarray(begin, starts[at + 1]?.index ?? bytes.length));
}

async function parse(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes);
  } catch {
    throw new UnreadableError("damaged", "The message is damaged: its parts cannot be told apart. Save it again from the mail program.");
  }
}

/** A page that a browser saved with what it shows (MHTML) has the form of a message, and no person wrote it. */
const isPage = ({ html, from }: Email) => html !== undefined && (from === undefined || /^<?Saved by /i.test(nameOf(from)));

function writeMail({ subject, from, to, cc, date, text, html }: Email): string {
  const fields = [
    ["From", from && nameOf(from)],
    ["To", to?.map(nameOf).join(", ")],
    ["Cc", cc?.map(nameOf).join(", ")],
    ["Date", date],
  ].filter(([, value]) => value);
  const head = fields.map(([name, value]) => `${name}: ${value}`).join("\n");
  return [subject && `# ${subject.replace(/\s+/g, " ")}`, head, bodyOf({ text, html })].filter(Boolean).join("\n\n");
}

const nameOf = ({ name, address, group }: Address): string =>
  group ? `${name}: ${group.map(nameOf).join(", ")}` : [name, name && address ? `<${address}>` : address].filter(Boolean).join(" ");

/** The form of the body with more words: a plain one may say no more than that there is another. */
function bodyOf({ text = "", html }: Pick<Email, "text" | "html">): string {
  if (html === undefined) return text.trim();
  const page = readWhole(html).markdown;
  const words = page.replace(/\]\([^)\n]*\)/g, "]");
  return lettersOf(text) >= lettersOf(words) * 0.9 ? text.trim() : page;
}

const lettersOf = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
