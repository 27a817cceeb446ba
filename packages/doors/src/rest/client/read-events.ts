/** An event of a stream; one without a name is a `message`. */
export interface ServerEvent {
  readonly event: string;
  /** Undefined for one that does not say. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads server-sent events (WHATWG HTML, section 9.2.6) until the body ends. Whoever stops reading closes it. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = readEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    // Nobody waits for a server that is gone.
    reader.cancel().catch(() => {});
  }
}

/** Undefined for a comment, which only shows that the server is alive. */
function readEvent(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [name = "", value = ""] = line.split(/: ?(.*)/s);
    fields.set(name, name === "data" && fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const data = fields.get("data");
  return data === undefined ? undefined : { event: fields.get("event") ?? "message", id: fields.get("id"), data };
}
