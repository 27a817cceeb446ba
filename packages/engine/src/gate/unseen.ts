import { toPointer } from "../schema/json-pointer.ts";

/** What of an input is not known, and which of that somebody asked for. */
export interface Unseen {
  /** The input, in which what is not known reads as absent. */
  readonly value: unknown;
  /** JSON pointers to what is not known. */
  readonly places: readonly string[];
  /** Those that were read so far. */
  readonly asked: ReadonlySet<string>;
}

/** An input whose parts may not be known: `isUnseen` says so of a part. */
export function readUnseen(input: unknown, isUnseen: (value: unknown) => boolean): Unseen {
  const places: string[] = [];
  const asked = new Set<string>();
  const copy = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const made: object = Array.isArray(value) ? [] : {};
    for (const [name, member] of Object.entries(value)) {
      const below = [...path, name];
      const place = toPointer(below);
      if (isUnseen(member)) {
        places.push(place);
        Object.defineProperty(made, name, { enumerable: true, configurable: true, get: () => void asked.add(place) });
      } else Object.defineProperty(made, name, { enumerable: true, configurable: true, writable: true, value: copy(member, below) });
    }
    return made;
  };
  const value = copy(input, []);
  return { value: places.length === 0 ? input : value, places, asked };
}

/** Pointers in a sentence. */
export const nameAll = (places: Iterable<string>): string => [...places].join(", ");
