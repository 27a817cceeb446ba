import { ToolwrightError } from "@toolwright/engine";

export interface StreamOptions {
  /** Id of the model, which errors name. */
  readonly id: string;
  readonly fetch?: typeof fetch | undefined;
  /** The pieces of a stream that an answer in one JSON value stands for; undefined for a value that is no answer. Left out: such an answer is refused. */
  readonly toPieces?: ((answer: unknown) => readonly unknown[] | undefined) | undefined;
  /** What ends a stream that has its last line and no piece which says why it ended. */
  readonly ending?: { readonly last: RegExp; readonly said: RegExp; readonly reason: RegExp; readonly piece: unknown } | undefined;
}

/**
 * Sends requests for answers as a stream, and rejects with `model_unavailable` where what comes is no stream and never will be, such as a page. What can
 * be read as an answer becomes a stream.
 */
export function fetchStream(options: StreamOptions): typeof fetch {
  const { fetch: send = globalThis.fetch } = options;
  return async (input, init) => {
    const response = await send(input, init);
    if (!response.ok || !response.body) return response;
    const type = response.headers.get("content-type") ?? "";
    return isStream.test(type) ? readStream(response.body, response, options) : readOther(response.body, response, options);
  };
}

const isStream = /^(text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

type Body = ReadableStream<Uint8Array>;

function readStream(body: Body, response: Response, { ending }: StreamOptions): Response {
  return ending ? withBody(body.pipeThrough(addEnding(ending)), response) : response;
}

const tailLength = 64;

/** Looks at a stream as it passes, and ends it where its server did not. */
function addEnding({ last, said, reason, piece }: NonNullable<StreamOptions["ending"]>): TransformStream<Uint8Array, Uint8Array> {
  let tail = "";
  let [isLast, hasSaid, hasReason] = [false, false, false];
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (hasReason) return;
      const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      hasReason = reason.test(text);
      hasSaid ||= said.test(text);
      isLast ||= last.test(text);
      tail = text.slice(-tailLength);
    },
    flush(controller) {
      if (isLast && hasSaid && !hasReason) controller.enqueue(encoder.encode(`\n\n${writePiece(piece)}`));
    },
  });
}

const encoder = new TextEncoder();
const writePiece = (piece: unknown) => `data: ${JSON.stringify(piece)}\n\n`;

/** Bytes of an answer in one value: more than any model gives. */
const longestWhole = 8_000_000;

/** A stream under another name passes; of anything else the whole is read first. */
async function readOther(body: Body, response: Response, options: StreamOptions): Promise<Response> {
  const [begun, rest] = await readBeginning(body);
  if (/^(data|event|id|retry)?:/.test(begun.text) || begun.text.startsWith("\0")) return readStream(rest, response, options);
  const kind = begun.text.startsWith("<") ? "a page" : "something else than a stream";
  const isJson = begun.text.startsWith("{");
  const pieces = isJson && options.toPieces ? piecesOf(await readWhole(rest), options.toPieces) : undefined;
  if (pieces) return withBody(new Blob(pieces.map(writePiece)).stream(), response);
  if (!isJson) await rest.cancel();
  throw new ToolwrightError(
    "model_unavailable",
    `The server of the model ${options.id} is no model server: it answered with ${isJson ? "JSON of another kind" : kind} (HTTP ${response.status}). Check its address, which ends in /v1 at most servers.`,
    { details: { failure: "no-model-server", status: response.status } },
  );
}

/** The first characters that are no blanks, and the body with them. */
async function readBeginning(body: Body): Promise<readonly [{ readonly text: string }, Body]> {
  const reader = body.getReader();
  const read: Uint8Array[] = [];
  let text = "";
  for (let size = 0; text.length < "event:".length && size < 65_536; ) {
    const { done, value } = await reader.read();
    if (done) break;
    read.push(value);
    size += value.length;
    text = new TextDecoder().decode(Buffer.concat(read)).trimStart();
  }
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = read.shift();
      if (first) return controller.enqueue(first);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return [{ text }, rest];
}

async function readWhole(body: Body): Promise<string> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > longestWhole) return "";
    read.push(chunk);
  }
  return Buffer.concat(read).toString("utf8");
}

/** Pieces of an answer that is one JSON value, or one value on each line; undefined where a value is no answer. */
function piecesOf(text: string, toPieces: NonNullable<StreamOptions["toPieces"]>): readonly unknown[] | undefined {
  const values = readJson(text) ?? text.split("\n").flatMap((line) => (line.trim() === "" ? [] : (readJson(line) ?? [undefined])));
  const pieces = values.map(toPieces);
  return pieces.includes(undefined) ? undefined : pieces.flatMap((each) => each ?? []);
}

function readJson(text: string): readonly unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

function withBody(body: Body, { status, headers }: Response): Response {
  const named = new Headers(headers);
  named.set("content-type", "text/event-stream");
  named.delete("content-length");
  named.delete("content-encoding");
  return new Response(body, { status, headers: named });
}
