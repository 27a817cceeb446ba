interface Place {
  readonly at: number;
  readonly count: number;
  /** Rows that are in sight. */
  readonly page: number;
}

/** The row that a key leads to; undefined for a key that leads nowhere. */
export function stepOf(key: string, { at, count, page }: Place): number | undefined {
  const next = {
    j: at + 1,
    ArrowDown: at + 1,
    k: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: count - 1,
    PageDown: at + page,
    PageUp: at - page,
  };
  const wanted = Object.hasOwn(next, key) ? next[key as keyof typeof next] : undefined;
  return wanted === undefined ? undefined : Math.max(0, Math.min(count - 1, wanted));
}
