/**
 * The wire between the server and its spawner: a length (u32), a type (u8), a run number (u32), then the payload.
 * Output stays binary; everything else is JSON in UTF-8.
 */
export const frameType = {
  launch: 1,
  input: 2,
  endInput: 3,
  control: 4,
  signal: 5,
  credit: 6,
  ready: 16,
  stdout: 17,
  stderr: 18,
  inputTaken: 19,
  ended: 20,
} as const;

export type FrameType = (typeof frameType)[keyof typeof frameType];

export interface Frame {
  readonly type: number;
  readonly run: number;
  readonly payload: Buffer;
}

const headerBytes = 9;
const maxPayloadBytes = 64 * 1024 * 1024;
const nothing = Buffer.alloc(0);

export function encodeFrame(type: FrameType, run: number, payload: Uint8Array = nothing): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt8(type, 4);
  frame.writeUInt32LE(run, 5);
  frame.set(payload, headerBytes);
  return frame;
}

export function encodeJsonFrame(type: FrameType, run: number, value: unknown): Buffer {
  return encodeFrame(type, run, Buffer.from(JSON.stringify(value)));
}

/** Returns a function that takes the bytes as they come and calls back once per whole frame. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let pending: Buffer = nothing;
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let offset = 0;
    while (pending.length - offset >= headerBytes) {
      const length = pending.readUInt32LE(offset);
      if (length > maxPayloadBytes) throw new RangeError(`A frame of ${length} bytes is larger than ${maxPayloadBytes}.`);
      const start = offset + headerBytes;
      if (pending.length < start + length) break;
      onFrame({
        type: pending.readUInt8(offset + 4),
        run: pending.readUInt32LE(offset + 5),
        payload: pending.subarray(start, start + length),
      });
      offset = start + length;
    }
    pending = pending.subarray(offset);
  };
}
