import { copyJson, type Json } from "../contract/json.ts";
import type { TurnPart, TurnStream } from "../ports/turn-stream.ts";
import type { TurnRef } from "../ports/turns.ts";

interface Row {
  parts: readonly TurnPart[];
  last: number;
  readonly listeners: Set<() => void>;
}

const copy = <Value>(value: Value) => copyJson(value) as Value;

/** Keeps what people see of turns in memory: lost with the process. Chunks are kept as given, which nobody changes, and copied for readers. */
export function createMemoryTurnStream(): TurnStream {
  const rows = new Map<string, Row>();
  const rowOf = ({ tenant, id }: TurnRef) => {
    const key = JSON.stringify([tenant, id]);
    const known = rows.get(key) ?? { parts: [], last: 0, listeners: new Set<() => void>() };
    rows.set(key, known);
    return known;
  };
  const put = (row: Row, part: Omit<TurnPart, "position">, isKept: (part: TurnPart) => boolean) => {
    row.last += 1;
    row.parts = [...row.parts.filter(isKept), { ...part, position: row.last }];
    for (const listener of row.listeners) listener();
    return Promise.resolve();
  };
  return {
    add: (ref, chunks: readonly Json[]) => put(rowOf(ref), { chunks }, () => true),
    settle(ref, chunks) {
      const row = rowOf(ref);
      const isWhole = ({ since }: TurnPart) => since !== undefined;
      const since = row.parts.find((part) => !isWhole(part))?.position ?? row.last + 1;
      return put(row, { chunks, since }, isWhole);
    },
    read: (ref, after) => Promise.resolve(copy(rowOf(ref).parts.filter(({ position }) => position > after))),
    follow(ref, listener) {
      const { listeners } = rowOf(ref);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
