import assert from "node:assert/strict";
import type { Json } from "../contract/json.ts";
import { chunksFor, type TurnStream } from "../ports/turn-stream.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

const ref = { tenant: "acme", id: "t1" };
const text = (delta: string): Json => ({ type: "text-delta", id: "1", delta });

interface OpenTurnStream {
  /** A stream in which the turns `t1` and `t2` of the tenants `acme` and `other` may be written. */
  readonly stream: TurnStream;
  readonly reopen: () => Promise<TurnStream>;
  readonly cleanup: () => Promise<void>;
}

/** What every stream of turns must do. `open` gives one on an empty place. */
export function turnStreamConformance(open: () => Promise<OpenTurnStream>): readonly ConformanceCase[] {
  const withStream = casesOn(open);
  /** What somebody sees who has seen everything up to `after`. */
  const seen = async (stream: TurnStream, after: number) => {
    let at = after;
    const chunks: Json[] = [];
    for (const part of await stream.read(ref, after)) {
      chunks.push(...chunksFor(part, at));
      at = part.position;
    }
    return chunks;
  };
  return [
    withStream("gives pieces in order, and after a position what came since", async ({ stream, reopen }) => {
      await stream.add(ref, [text("a"), text("b\u0000")]);
      await stream.add(ref, [text("c")]);
      const other = await reopen();
      assert.deepEqual(await seen(other, 0), [text("a"), text("b\u0000"), text("c")]);
      assert.deepEqual(await seen(other, 1), [text("c")]);
      assert.deepEqual(await seen(other, 2), []);
    }),
    withStream("has a whole step in the place of its pieces, for whoever has seen none, some or all of them", async ({ stream }) => {
      await stream.settle(ref, [text("one")]);
      await stream.add(ref, [text("tw")]);
      await stream.add(ref, [text("o")]);
      await stream.settle(ref, [text("two")]);
      assert.deepEqual(await seen(stream, 0), [text("one"), text("two")]);
      assert.deepEqual(await seen(stream, 1), [text("two")]);
      assert.deepEqual(await seen(stream, 2), [{ type: "reset-step" }, text("two")]);
      assert.deepEqual(await seen(stream, 3), []);
      await stream.add(ref, [text("three")]);
      assert.deepEqual(await seen(stream, 4), [text("three")]);
    }),
    withStream("makes the pieces of a step void for whoever has seen one", async ({ stream }) => {
      await stream.add(ref, [text("a")]);
      await stream.add(ref, [text("b")]);
      await stream.settle(ref, []);
      await stream.settle(ref, [text("c")]);
      assert.deepEqual(await seen(stream, 0), [text("c")]);
      assert.deepEqual(await seen(stream, 1), [{ type: "reset-step" }, text("c")]);
      assert.deepEqual(await seen(stream, 2), [{ type: "reset-step" }, text("c")]);
      assert.deepEqual(await seen(stream, 3), [text("c")]);
    }),
    withStream("keeps turns and tenants apart", async ({ stream }) => {
      await stream.add(ref, [text("a")]);
      assert.deepEqual(await stream.read({ ...ref, tenant: "other" }, 0), []);
      assert.deepEqual(await stream.read({ ...ref, id: "t2" }, 0), []);
    }),
    withStream("tells who follows", async ({ stream, reopen }) => {
      const other = await reopen();
      const heard = new Promise<void>((resolve) => {
        other.follow(ref, resolve);
      });
      await stream.add(ref, [text("a")]);
      await heard;
    }),
  ];
}
