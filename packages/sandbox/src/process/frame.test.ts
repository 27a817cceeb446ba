import fc from "fast-check";
import { expect, test } from "vitest";
import { createFrameReader, encodeFrame, type FrameType } from "./frame.ts";

const frame = fc.record({ type: fc.integer({ min: 0, max: 255 }), run: fc.nat(0xffffffff), payload: fc.uint8Array({ maxLength: 300 }) });

test("frames come out as they went in, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (frames, cuts) => {
      const wire = Buffer.concat(frames.map(({ type, run, payload }) => encodeFrame(type as FrameType, run, payload)));
      const seen: unknown[] = [];
      const read = createFrameReader(({ type, run, payload }) => seen.push({ type, run, payload: Uint8Array.from(payload) }));
      for (let offset = 0, turn = 0; offset < wire.length; turn++) {
        const size = cuts[turn % cuts.length]!;
        read(wire.subarray(offset, offset + size));
        offset += size;
      }
      expect(seen).toEqual(frames.map(({ type, run, payload }) => ({ type, run, payload: Uint8Array.from(payload) })));
    }),
  );
});

test("a frame that claims to be huge is refused before its bytes are waited for", () => {
  const header = encodeFrame(1, 1);
  header.writeUInt32LE(0xffffffff, 0);
  expect(() => createFrameReader(() => {})(header)).toThrow(RangeError);
});
