/** Words of a document, always the same for the same seed. */
export class Text {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From `least` to `most`, by mulberry32. */
  int(least: number, most: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return least + (((mixed ^ (mixed >>> 14)) >>> 0) % (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.int(0, items.length - 1)]!;
  }

  /** One after the other in an order of chance, each once. */
  some<Item>(items: readonly Item[], count: number): readonly Item[] {
    const left = [...items];
    return Array.from({ length: Math.min(count, items.length) }, () => left.splice(this.int(0, left.length - 1), 1)[0]!);
  }

  /** A word that no other place of the document has. */
  mark(): string {
    return `${this.pick(["ref", "no", "id", "key"])}${this.int(10_000, 99_999)}`;
  }

  words(count: number): string {
    return Array.from({ length: count }, () => (this.int(0, 11) === 0 ? this.pick(odd) : this.pick(common))).join(" ");
  }

  /** Latin words alone, which each font has. */
  plain(count: number): string {
    return `${Array.from({ length: count }, () => this.pick(common)).join(" ")} ${this.mark()}`;
  }

  title(): string {
    const words = this.plain(this.int(1, 4));
    return words.charAt(0).toUpperCase() + words.slice(1);
  }

  sentence(): string {
    return `${this.title()} ${this.words(this.int(4, 11))} ${this.mark()}.`;
  }

  paragraph(): string {
    return Array.from({ length: this.int(2, 5) }, () => this.sentence()).join(" ");
  }

  /** A sentence in another script. */
  foreign(): string {
    return this.pick(foreign);
  }
}

const common = (
  "rent contract lease tenant garden kitchen window quarter invoice payment river mountain engine bridge paper letter office harvest winter " +
  "summer village doctor teacher signal copper silver bottle market harbour ladder pencil library museum theatre village forest meadow " +
  "affine office official waffle flight difficult first offer shelf fjord final"
).split(" ");

const odd = [
  ...[
    "e-mail",
    "na\u00efve",
    "caf\u00e9",
    "don\u2019t",
    "3.14",
    "1,250.00",
    "A/B",
    "C++",
    "user_name",
    "x*y",
    "50%",
    "#7",
    "(sic)",
    "[note]",
  ],
  ...[
    "2020-11-29",
    "10:45",
    "\u201cquoted\u201d",
    "well-known",
    "M\u00fcller",
    "gr\u00f6\u00dfer",
    "r\u00e9sum\u00e9",
    "a@example.org",
    "\u00a7",
    "\u2013",
  ],
];

const foreign = [
  "\u0410\u0440\u0435\u043d\u0434\u0430 \u043a\u0432\u0430\u0440\u0442\u0438\u0440\u044b \u043e\u043f\u043b\u0430\u0447\u0435\u043d\u0430",
  "\u03a4\u03bf \u03b5\u03bd\u03bf\u03af\u03ba\u03b9\u03bf \u03c0\u03bb\u03b7\u03c1\u03ce\u03b8\u03b7\u03ba\u03b5",
  "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u05d7\u05d5\u05d6\u05d4 \u05e9\u05db\u05d9\u05e8\u05d5\u05ea",
  "\u0639\u0642\u062f \u0627\u0644\u0625\u064a\u062c\u0627\u0631 \u0645\u062f\u0641\u0648\u0639",
  "\u6771\u4eac\u306e\u5bb6\u8cc3\u306f\u652f\u6255\u308f\u308c\u307e\u3057\u305f\u3002",
  "\u79df\u91d1\u5df2\u7ecf\u652f\u4ed8\u3002",
  "\uc784\ub300\ub8cc\uac00 \uc9c0\ubd88\ub418\uc5c8\uc2b5\ub2c8\ub2e4",
  "\u0915\u093f\u0930\u093e\u092f\u093e \u0926\u093f\u092f\u093e \u0917\u092f\u093e",
  "ti\u1ec1n thu\u00ea nh\u00e0 \u0111\u00e3 tr\u1ea3",
  "\u00fcber \u0159eka \u0142\u00f3d\u017a \u015fehir",
];
