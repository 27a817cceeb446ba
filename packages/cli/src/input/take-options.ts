import type { Option } from "commander";

/** Options that stood among the words after a tool's name, and what is left for the tool. */
interface TakenOptions {
  readonly options: Readonly<Record<string, string | boolean>>;
  /** Names as they were typed, without dashes. */
  readonly taken: readonly string[];
  readonly words: readonly string[];
}

/**
 * Takes options out of the words after a tool's name. A name that the tool has as a field stays with the tool, as everything behind `--` does.
 * Throws through `refuse` for an option without its value.
 */
export function takeOptions(
  words: readonly string[],
  known: readonly Option[],
  { isField, refuse }: { readonly isField: (name: string) => boolean; readonly refuse: (message: string) => Error },
): TakenOptions {
  const options: Record<string, string | boolean> = {};
  const taken: string[] = [];
  const left: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (word === "--") {
      left.push(...words.slice(index + 1));
      break;
    }
    const [flag = "", ...value] = word.split("=");
    const option = known.find(({ long }) => long === flag);
    const name = flag.slice(2);
    if (option === undefined || isField(name) || (value.length > 0 && !option.required)) {
      left.push(word);
      continue;
    }
    taken.push(name);
    const given = !option.required || (value.length > 0 ? value.join("=") : words[++index]);
    if (given === undefined) throw refuse(`${flag} needs a value: ${option.flags}.`);
    options[option.attributeName()] = given;
  }
  return { options, taken, words: left };
}
