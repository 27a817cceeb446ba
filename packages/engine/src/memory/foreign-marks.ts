import type { ForeignMark } from "../contract/foreign.ts";
import { type ForeignMarks, keyOfMark, mostForeignMarks } from "../ports/foreign-marks.ts";

/** Marks of this process. */
export function createMemoryForeignMarks(): ForeignMarks {
  const kept = new Map<string, Map<string, ForeignMark>>();
  const keyOf = (tenant: string, session: string) => JSON.stringify([tenant, session]);
  return {
    async add({ tenant, id }, marks) {
      const key = keyOf(tenant, id);
      const known = kept.get(key) ?? new Map<string, ForeignMark>();
      for (const mark of marks) {
        const place = keyOfMark(mark);
        if (known.size < mostForeignMarks && !known.has(place)) known.set(place, mark);
      }
      kept.set(key, known);
    },
    async of(tenant, sessions) {
      const marks = [...new Set(sessions)].flatMap((session) => [...(kept.get(keyOf(tenant, session))?.values() ?? [])]);
      return marks.sort((a, b) => a.at - b.at);
    },
  };
}
