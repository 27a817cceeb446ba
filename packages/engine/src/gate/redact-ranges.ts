import { isEscape } from "./redact-escapes.ts";
import type { FormIndex } from "./redact-index.ts";
import { FormMatcher } from "./redact-match.ts";

/** From the first character to the one after the last. */
export type Range = readonly [start: number, end: number];

export interface Findings {
  /** In order, and apart from one another. */
  readonly ranges: readonly Range[];
  /** Where a form begins that is whole only in a longer text; what begins behind it is not among the ranges. */
  readonly until: number;
}

/**
 * Where any of the forms stand; those that overlap or touch are one. Whether one stands at a place depends on nothing before it, so that the
 * text can be cut at any.
 */
export function findForms(text: string, index: FormIndex, { known, isWhole }: { known: readonly Range[]; isWhole: boolean }): Findings {
  const found: Range[] = [...known];
  const matcher = new FormMatcher(text, isWhole);
  const tryForms = (at: number, first: number) => {
    for (const form of index.startingWith(first)) {
      const end = matcher.match(form, at);
      if (end > at) found.push([at, end]);
    }
  };
  for (const at of index.places(text)) {
    const code = text.charCodeAt(at);
    tryForms(at, code);
    if (isEscape(code)) tryForms(at, matcher.read(at));
    if (matcher.ranOut) return { ranges: merge(found), until: at };
  }
  return { ranges: merge(found), until: text.length };
}

function merge(ranges: Range[]): Range[] {
  const merged: [number, number][] = [];
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
