import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";

const maxBytes = 40_000;

/** Reads a part of an artifact: the whole of an output that was cut, or a file that a tool saved. */
export default defineTool({
  name: "artifact_read",
  title: "Read artifact",
  group: "artifacts",
  description:
    "Read the whole of something that was cut, by the artifact id that a result names. It is read in parts: pass nextOffset of the last part as offset to read on. " +
    "When you look for one thing in a long output, run the command again with a filter instead: that is cheaper than reading all of it.",
  input: z.object({
    id: z.string().describe("The artifact id, as in art_..."),
    offset: z.int().min(0).nullish().describe("Byte to begin at: nextOffset of the part before. Default: 0."),
  }),
  output: z.object({
    name: z.string().describe("Name of the file."),
    mediaType: z.string().describe("What it holds, e.g. text/plain."),
    size: z.int().describe("Bytes in all."),
    text: z.string().describe("The text of this part."),
    nextOffset: z.int().nullable().describe("Where the next part begins; null at the end."),
    session: z.string().describe("The session that it was kept in."),
  }),
  examples: [{ label: "The second part of a long output", input: { id: "art_x", offset: 40000 } }],
  foreign: { kind: "artifact", sources: ({ session }) => [{ kind: "session", session }], members: ["name", "text"] },
  ask: ({ id }, say) => say`Read the artifact ${id}?`,
  async run({ id, offset }, { artifacts }) {
    const start = offset ?? 0;
    const { ref, session, bytes } = await artifacts.read(id, { offset: start, length: maxBytes });
    const whole = start + bytes.length >= ref.size ? bytes : bytes.subarray(0, lastWholeCharacter(bytes));
    const end = start + whole.length;
    if (!isText(whole)) {
      return fail("not_text", `Artifact ${id} (${ref.name}, ${ref.mediaType}, ${ref.size} bytes) is not text and cannot be read this way.`);
    }
    const { name, mediaType, size } = ref;
    const nextOffset = end < size && whole.length > 0 ? end : null;
    return { name, mediaType, size, text: new TextDecoder().decode(whole), nextOffset, session };
  },
  toModel({ name, size, text, nextOffset }) {
    const note = nextOffset === null ? "end" : `more: offset ${nextOffset}`;
    return [{ type: "text", text: `${text}\n[${name}, ${size} bytes; ${note}]` }];
  },
});

/** Length without the bytes of a UTF-8 character that the end cuts: at most three. */
function lastWholeCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length - back + 1;
    if (byte >= 0xc0) {
      const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back === width ? bytes.length : bytes.length - back;
    }
  }
  return bytes.length;
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}
