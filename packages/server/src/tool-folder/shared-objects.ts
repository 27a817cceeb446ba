/** What all code of a process shares, by name. Dates and timers are left out: test runners stand in for them. */
const shared: readonly (readonly [name: string, target: object])[] = [
  ["Object.prototype", Object.prototype],
  ["Function.prototype", Function.prototype],
  ["Array.prototype", Array.prototype],
  ["String.prototype", String.prototype],
  ["Number.prototype", Number.prototype],
  ["RegExp.prototype", RegExp.prototype],
  ["Error.prototype", Error.prototype],
  ["Promise.prototype", Promise.prototype],
  ["Map.prototype", Map.prototype],
  ["Set.prototype", Set.prototype],
  ["WeakMap.prototype", WeakMap.prototype],
  ["Iterator.prototype", Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object],
  ["TypedArray.prototype", Object.getPrototypeOf(Uint8Array.prototype) as object],
  ["Object", Object],
  ["Array", Array],
  ["Promise", Promise],
  ["JSON", JSON],
  ["Math", Math],
  ["Reflect", Reflect],
];
const sharedGlobals = [
  "Object",
  "Array",
  "Promise",
  "JSON",
  "Math",
  "Reflect",
  "Map",
  "Set",
  "String",
  "Number",
  "RegExp",
  "Error",
  "Symbol",
];

// Held here, because what is looked at may be broken by the time it is looked at.
const { defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { is, keys: enumerableKeys, preventExtensions } = Object;

interface Member {
  readonly name: string;
  readonly target: object;
  readonly key: PropertyKey;
  readonly kept: PropertyDescriptor;
}

let members: readonly Member[] = [];
let areValuesKept: () => boolean = () => true;

/**
 * Remembers what is shared as it is now. From then on nothing can be added to `Object.prototype` or removed from it: the code that tries gets
 * a `TypeError`. Its members stay writable, since one that is not could not be set on any other object either.
 */
export function keepSharedObjects(): void {
  for (const key of ownKeys(Object.prototype)) defineProperty(Object.prototype, key, { configurable: false });
  preventExtensions(Object.prototype);
  const owned = shared.flatMap(([name, target]) => ownKeys(target).map((key) => memberOf(name, target, key)));
  members = [...owned, ...sharedGlobals.map((key) => memberOf("globalThis", globalThis, key))];
  areValuesKept = compileLook(members);
}

function memberOf(name: string, target: object, key: PropertyKey): Member {
  return { name: `${name}.${String(key)}`, target, key, kept: getOwnPropertyDescriptor(target, key) as PropertyDescriptor };
}

/**
 * A look at every value takes 50 µs in a loop, and one or two when each has its own place in the code, so that it can follow every call.
 */
function compileLook(all: readonly Member[]): () => boolean {
  const values = all.filter(({ kept }) => "value" in kept && !Number.isNaN(kept.value));
  const targets = [...new Set(values.map(({ target }) => target))];
  const tests = values.map(({ target, key }, index) => {
    const member = typeof key === "string" ? `.${key}` : `[k${index}]`;
    return `t${targets.indexOf(target)}${/^\.[A-Za-z_$][\w$]*$|^\[/.test(member) ? member : `[k${index}]`}===v${index}`;
  });
  const names = [...targets.map((_, index) => `t${index}`), ...values.flatMap((_, index) => [`k${index}`, `v${index}`])];
  const given = [...targets, ...values.flatMap(({ key, kept }) => [key, kept.value as unknown])];
  return new Function(...names, `return () => ${tests.join("&&")};`)(...given) as () => boolean;
}

/** True while no value is another one: fast enough to ask after every call. Accessors and additions are seen by `restoreSharedObjects`. */
export function areSharedValuesKept(): boolean {
  return areValuesKept();
}

/** Puts back what was changed, and says what that was: `Array.prototype.map`. */
export function restoreSharedObjects(): readonly string[] {
  const changed: string[] = [];
  for (let index = 0; index < members.length; index += 1) {
    const { name, target, key, kept } = members[index] as Member;
    if (isAsKept(target, key, kept)) continue;
    changed[changed.length] = name;
    defineProperty(target, key, kept);
  }
  for (let index = 0; index < shared.length; index += 1) {
    const [name, target] = shared[index] as (typeof shared)[number];
    const added = enumerableKeys(target);
    for (let at = 0; at < added.length; at += 1) {
      changed[changed.length] = `${name}.${added[at]}`;
      delete (target as Record<string, unknown>)[added[at] as string];
    }
  }
  return changed;
}

function isAsKept(target: object, key: PropertyKey, kept: PropertyDescriptor): boolean {
  const now = getOwnPropertyDescriptor(target, key);
  return now !== undefined && is(now.value, kept.value) && now.get === kept.get && now.set === kept.set;
}
