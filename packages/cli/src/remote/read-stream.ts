/** One event of a stream. */
export interface ReadEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads server-sent events (WHATWG HTML, section 9.2) whose data is JSON, as our servers send them. */
export async function* readStream(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadEvent> {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const found = readBlock(block);
      if (found) yield found;
    }
  }
}

/** Undefined for a comment, with which a server shows that it is there. */
function readBlock(block: string): ReadEvent | undefined {
  const fields = block.split("\n").map((line) => /^(event|data): (.*)$/.exec(line));
  const find = (name: string) => fields.find((field) => field?.[1] === name)?.[2];
  const data = find("data");
  return data === undefined ? undefined : { event: find("event") ?? "message", data: JSON.parse(data) };
}
