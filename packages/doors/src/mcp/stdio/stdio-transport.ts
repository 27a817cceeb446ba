import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { ErrorCode } from "@toolwright/engine";
import { type MessageFault, readMessage } from "../read-message.ts";
import { BoundedLines, type Line } from "./bounded-lines.ts";
import { type LongLine, readLongLine } from "./long-line.ts";

export interface StdioTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Bytes of one message. A longer one is dropped while it comes in, and answered with `input_too_large`. Default 10 MiB. */
  readonly maxLineBytes?: number;
  /** Bytes that wait until the server starts, or until the client reads its answers. With more the connection ends. Default 64 MiB. */
  readonly maxWaitingBytes?: number;
  /** Levels of nesting in a message. Default 256. */
  readonly maxDepth?: number;
}

/** A line that is answered here. */
interface RefusedLine extends MessageFault {
  readonly data?: { readonly code: ErrorCode; readonly limit: number };
  readonly about?: LongLine | undefined;
}

const megabyte = 1024 * 1024;
/** What a line costs beside its bytes. */
const lineCost = 128;

/**
 * MCP over lines of JSON. Reads from its construction on, so that the end of the input is never missed, and holds what comes until `start`.
 * A line that is no message is answered with a JSON-RPC error, and the next one counts.
 */
export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** Resolves once the client closed its end of either stream, or the server closed this. */
  readonly ended: Promise<void>;
  readonly #options: Required<StdioTransportOptions>;
  readonly #lines: BoundedLines;
  readonly #end: () => void;
  #waiting: Line[] = [];
  #next = 0;
  #waitingBytes = 0;
  #isStarted = false;
  #isClosed = false;
  #onLine: (() => void) | undefined;

  constructor({ maxLineBytes = 10 * megabyte, maxWaitingBytes = 64 * megabyte, maxDepth = 256, ...streams }: StdioTransportOptions) {
    this.#options = { ...streams, maxLineBytes, maxWaitingBytes, maxDepth };
    this.#lines = new BoundedLines(maxLineBytes);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    const { input, output } = streams;
    input.on("data", this.#onData).once("end", this.#onEnd).once("close", this.#onEnd).on("error", this.#onBroken);
    output.on("drain", this.#deliver).on("error", this.#onBroken);
    if (input.readableEnded || input.destroyed) setImmediate(this.#onEnd);
  }

  /** The first line, parsed, which `start` delivers too; undefined when it is no message or none comes. */
  async first(): Promise<object | undefined> {
    if (this.#waiting.length === 0 && !this.#isClosed) {
      const line = new Promise<void>((resolve) => {
        this.#onLine = resolve;
      });
      await Promise.race([line, this.ended]);
    }
    const [line] = this.#waiting;
    const read = line && this.#read(line);
    return read && "body" in read ? read.body : undefined;
  }

  async start(): Promise<void> {
    this.#isStarted = true;
    if (this.#isClosed) setImmediate(() => this.onclose?.());
    else this.#deliver();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("The connection at standard input has ended."));
    return new Promise((resolve, reject) => {
      this.#options.output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { input, output } = this.#options;
    input.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    output.off("drain", this.#deliver);
    input.pause();
    this.#waiting = [];
    this.#end();
    if (this.#isStarted) this.onclose?.();
  }

  readonly #onEnd = (): void => void this.close();

  readonly #onBroken = (error: Error): void => {
    if (this.#isClosed) return;
    this.onerror?.(error);
    void this.close();
  };

  readonly #onData = (chunk: Buffer): void => {
    for (const line of this.#lines.push(chunk)) {
      this.#waiting.push(line);
      this.#waitingBytes += bytesOf(line);
    }
    if (this.#waiting.length > 0) this.#onLine?.();
    this.#deliver();
    const { maxWaitingBytes } = this.#options;
    if (this.#waitingBytes <= maxWaitingBytes) return;
    this.#onBroken(new Error(`The client sent ${maxWaitingBytes} bytes and did not read its answers. The connection ends.`));
  };

  /** While the client reads: what answers cannot leave for waits here as a line, which is small, and not as an answer. */
  readonly #deliver = (): void => {
    while (this.#isStarted && this.#next < this.#waiting.length && !this.#options.output.writableNeedDrain) {
      const line = this.#waiting[this.#next++] as Line;
      this.#waitingBytes -= bytesOf(line);
      this.#deliverLine(line);
    }
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  };

  #deliverLine(line: Line): void {
    const read = this.#read(line);
    if (read === undefined) return;
    if ("body" in read) {
      this.onmessage?.(read.body as JSONRPCMessage);
      return;
    }
    const { code, message, data, about } = read;
    const error = { jsonrpc: "2.0" as const, error: { code, message, ...(data && { data }) } };
    // The server waits for this answer, and the client knows no request of this id.
    if (about?.kind === "answer") this.onmessage?.({ ...error, id: about.id });
    else this.#options.output.write(`${JSON.stringify({ ...error, id: about?.id ?? null })}\n`);
  }

  /** Undefined for an empty line. */
  #read(line: Line): { readonly body: object } | RefusedLine | undefined {
    const { maxLineBytes, maxDepth } = this.#options;
    if ("tooLong" in line) {
      const message = `The message is larger than ${maxLineBytes} bytes. Send less at once: a file can be put into the workspace, and named.`;
      return { code: -32600, message, data: { code: "input_too_large", limit: maxLineBytes }, about: readLongLine(line.tooLong) };
    }
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(line.bytes);
    } catch {
      return { code: -32700, message: "The message is not valid UTF-8." };
    }
    if (text.trim() === "") return undefined;
    const read = readMessage(text, maxDepth);
    if (!("body" in read) || isMessage(read.body)) return read;
    return { code: -32600, message: "The object is not a JSON-RPC 2.0 message.", about: idOf(read.body) };
  }
}

function bytesOf(line: Line): number {
  return lineCost + ("bytes" in line ? line.bytes.length : 0);
}

/** JSON-RPC 2.0, sections 4 and 5, with ids as MCP has them. What is in the parameters, the protocol layer judges. */
function isMessage(body: object): boolean {
  const { jsonrpc, id, method, params, result, error } = body as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0" || (id !== undefined && !isId(id))) return false;
  if (method !== undefined) return typeof method === "string" && (params === undefined || isObject(params));
  return (isObject(result) && id !== undefined) || (isObject(error) && typeof (error as { message?: unknown }).message === "string");
}

function idOf(body: object): LongLine | undefined {
  const { id, method } = body as Readonly<Record<string, unknown>>;
  return method !== undefined && isId(id) ? { kind: "request", id } : undefined;
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isInteger(id);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
