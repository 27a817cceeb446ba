const hour = 60 * 60 * 1000;
/** Offsets of all zones to UTC lie between these, and clocks are never moved by more than their distance. */
const [west, east] = [-12 * hour, 14 * hour];
/** Offsets are looked up at multiples of this, since neighbours ask for the same ones. */
const grid = 6 * hour;

/** The clocks of a zone go from one offset to another at a time. All in milliseconds. */
interface ClockChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** When the clocks of a time zone show a local time. A local time is a number, as `Date.UTC` makes it of what the clocks show. */
export class ZoneClocks {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();
  readonly #changes = new Map<number, ClockChange>();

  constructor(zone: string) {
    const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
    this.#format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", { ...parts, hourCycle: "h23", timeZone: zone });
  }

  /** A local time that no time from this one on is shown before. */
  firstLocal(time: number): number {
    const ends = [time - (east - west), time, time + (east - west)];
    return time + Math.min(...ends.map((end) => this.#offset(end)));
  }

  /** In order. A local time that is skipped is at the same distance after the gap; one that is repeated has two times. */
  timesOf(local: number): readonly number[] {
    const { at, before, after } = this.#around(local);
    const [earlier, later] = [local - before, local - after];
    if (local < at + Math.min(before, after)) return [earlier];
    if (local >= at + Math.max(before, after)) return [later];
    return before < after ? [earlier] : [earlier, later];
  }

  /** Where clocks change, the order of local times is not that of their times: until this one, if the local time is among them. */
  mixedUntil(local: number): number | undefined {
    const { at, before, after } = this.#around(local);
    // What is skipped falls on what comes after the gap.
    const until = at + (before < after ? 2 * after - before : before);
    return local >= at + Math.min(before, after) && local < until ? until : undefined;
  }

  /** The change that may matter to a local time; one that changes nothing where the offset stays. */
  #around(local: number): ClockChange {
    const [from, to] = [Math.floor((local - east) / grid) * grid, Math.ceil((local - west + (east - west)) / grid) * grid];
    const [before, after] = [this.#offsetOnGrid(from), this.#offsetOnGrid(to)];
    if (before === after) return { at: from, before, after };
    const known = this.#changes.get(from) ?? this.#findChange(from, to);
    this.#changes.set(from, known);
    return known;
  }

  #findChange(from: number, to: number): ClockChange {
    const before = this.#offset(from);
    let [start, end] = [from, to];
    while (end - start > 1_000) {
      const middle = Math.floor((start + end) / 2_000) * 1_000;
      if (this.#offset(middle) === before) start = middle;
      else end = middle;
    }
    return { at: end, before, after: this.#offset(end) };
  }

  #offsetOnGrid(time: number): number {
    const known = this.#offsets.get(time) ?? this.#offset(time);
    this.#offsets.set(time, known);
    return known;
  }

  /** To UTC, east of it positive. */
  #offset(time: number): number {
    const second = Math.floor(time / 1_000) * 1_000;
    const shown = new Map(this.#format.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0;
    return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second")) - second;
  }
}
