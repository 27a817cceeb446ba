/** What makes a program go the same way each time; it is told as JSON. */
export interface ProgramFate {
  /** What every clock says, in milliseconds since the epoch. */
  readonly now: number;
  /** Four numbers of 32 bits that `Math.random` begins with. */
  readonly seed: readonly number[];
}

/**
 * Stops the clocks, fixes chance and takes away what makes code of texts. Its text is evaluated inside the program's engine, before the program: it
 * uses nothing outside of itself.
 */
export function closeGlobals(text: string): void {
  const { now, seed }: ProgramFate = JSON.parse(text);
  const set = (owner: object, key: string, value: unknown) =>
    Object.defineProperty(owner, key, { value, writable: true, configurable: true });

  const RealDate = Date;
  const FixedDate = new Proxy(RealDate, {
    apply: () => new RealDate(now).toString(),
    construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now] : given, newTarget),
  });
  set(RealDate, "now", () => now);
  set(RealDate.prototype, "constructor", FixedDate);
  set(globalThis, "Date", FixedDate);

  // sfc32 by Chris Doty-Humphrey.
  let [a = 0, b = 0, c = 0, d = 0] = seed;
  set(Math, "random", () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  });

  /** No arrow function: it is called with `new`, too. */
  function refuse(): never {
    throw Object.assign(new Error("A program cannot make code of texts. Write the code itself."), { code: "no_eval" });
  }
  for (const made of [() => {}, async () => {}, function* () {}, async function* () {}])
    set(Object.getPrototypeOf(made), "constructor", refuse);
  set(globalThis, "eval", refuse);
  set(globalThis, "Function", refuse);
  for (const name of ["Atomics", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "WebAssembly"])
    Reflect.deleteProperty(globalThis, name);
}
