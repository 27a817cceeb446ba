/** A port that operations work on, as a value. `Shape` is what `createEngine` is given for it. */
export interface Port<Name extends string = string, Shape = unknown> {
  /** Its member of `Administration`. */
  readonly name: Name;
  /** What there is to give where it is missing, to go on after "Give createEngine": `a store of rooms, such as createMemoryRooms()`. */
  readonly remedy: string;
  /** Never set: carries the type of what is given. */
  readonly gives?: Shape;
}

/** Defines a port, beside its interface. Called twice, so that one names the interface and TypeScript finds the name. */
export const definePort =
  <Shape>() =>
  <const Name extends string>(name: Name, remedy: string): Port<Name, Shape> => ({ name, remedy });

/** What is given for the ports that have to be there. */
export type Given<Ports extends Port> = { readonly [Each in Ports as Each["name"]]: ShapeOf<Each> };

/** What is given for the ports that may be missing. */
export type MaybeGiven<Ports extends Port> = { readonly [Each in Ports as Each["name"]]?: ShapeOf<Each> | undefined };

type ShapeOf<Each extends Port> = Each extends Port<string, infer Shape> ? Shape : never;
