import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteRing, HeadTail } from "./capture-output.ts";

describe("ByteRing", () => {
  test("holds exactly the last bytes of any stream", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.array(fc.uint8Array({ maxLength: 60 })), (capacity, chunks) => {
        const ring = new ByteRing(capacity);
        for (const chunk of chunks) ring.push(chunk);
        const whole = Buffer.concat(chunks);
        expect(ring.total).toBe(whole.length);
        expect(ring.slice(0, ring.total)).toEqual(whole.subarray(Math.max(0, whole.length - capacity)));
        const middle = ring.start + Math.trunc((ring.total - ring.start) / 2);
        expect(ring.slice(middle, ring.total)).toEqual(whole.subarray(middle));
      }),
    );
  });
});

describe("HeadTail", () => {
  test("loses nothing within the limit and cuts between characters beyond it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 64 }), fc.array(fc.string({ unit: "grapheme", maxLength: 20 })), (limit, parts) => {
        const kept = new HeadTail(limit);
        for (const part of parts) kept.push(Buffer.from(part));
        const whole = parts.join("").toWellFormed();
        const { head, tail, total, missing } = kept.ends();
        expect(total).toBe(Buffer.byteLength(whole));
        if (total <= limit) {
          expect(head + tail).toBe(whole);
          return;
        }
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + missing).toBe(total);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeGreaterThanOrEqual(limit - 6);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 1000 },
    );
  });
});
