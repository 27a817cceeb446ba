import type { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";

/** Bytes of a frame at most; a bigger one is a defect or an attack. */
const mostBytes = 256 * 1024 * 1024;
const headBytes = 4;

/** Writes one message: its length in four bytes, then the value in V8's format, which carries dates and bytes as they are. */
export function writeFrame(stream: Duplex, message: unknown): void {
  const body = serialize(message);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(body.length);
  stream.cork();
  stream.write(head);
  stream.write(body);
  stream.uncork();
}

/** Calls back for each message, in order. A frame that is no frame destroys the stream. */
export function readFrames(stream: Duplex, onMessage: (message: unknown) => void): void {
  let waiting: Buffer[] = [];
  let size = 0;
  let needed = headBytes;
  const take = (count: number) => {
    const all = Buffer.concat(waiting);
    waiting = [all.subarray(count)];
    size -= count;
    return all.subarray(0, count);
  };
  let inBody = false;
  stream.on("data", (chunk: Buffer) => {
    waiting.push(chunk);
    size += chunk.length;
    while (size >= needed) {
      const bytes = take(needed);
      if (inBody) onMessage(deserialize(bytes));
      else if (bytes.readUInt32BE() > mostBytes) return void stream.destroy(new Error("a frame is too large"));
      needed = inBody ? headBytes : bytes.readUInt32BE();
      inBody = !inBody;
    }
  });
}
