import type { Word } from "../words/decode-word.ts";
import type { Destination, NamedFile } from "./destination.ts";
import type { NetworkOptions, ScannedNetwork } from "./scan-network-options.ts";

/** What is known of one program that reaches the network, reviewed by a person: where it goes, by its words. */
export interface NetworkProgram {
  /** What it reaches, and what its words do not say. */
  readonly reason: string;
  /** `match`: every destination is named, or there is none. `notMatch`: one of them cannot be named. */
  readonly examples: { readonly match: readonly string[]; readonly notMatch: readonly string[] };
  readonly options: NetworkOptions;
  /** No options follow this many operands: what comes then goes to the other side. */
  readonly most?: number;
  /** The destinations of its operands and options; those of `scanned.targets` and the doubts are added to them. */
  readonly reaches: (scanned: ScannedNetwork) => readonly Destination[];
  /** By the first operand, for programs with subcommands; those that are not here reach nothing. */
  readonly subcommands?: ReadonlyMap<string, NetworkProgram>;
  /** First operands with which it reaches something; with another one its options do not matter either. */
  readonly byVerb?: ReadonlySet<string>;
  /** Files that its words mean without an option that names them. */
  readonly files?: (scanned: ScannedNetwork) => readonly NamedFile[];
  /** The scheme of a target without one. */
  readonly scheme?: string;
}

export const present = (destinations: readonly (Destination | undefined)[]) => destinations.filter((each) => each !== undefined);
export const nothing = () => [];
export const has = ({ options }: ScannedNetwork, names: string) => options.some(({ name }) => names.split(" ").includes(name));
export const lastValue = ({ options }: ScannedNetwork, names: string) =>
  options.findLast(({ name }) => names.split(" ").includes(name))?.value?.text;
export const portOf = (text: string | undefined) => (text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined);
export const uncertain = (word: Word) => word.glob || word.tilde;
