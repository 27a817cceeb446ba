// Writes the reference of the commands from the program itself, whose help has the same words.
import type { Io } from "../packages/cli/src/io.ts";
import { type CommandLine, listCommands } from "../packages/cli/src/program.ts";

/** Options that most commands have: they are told once, at the top. */
const common = ["--workspace", "--tools", "--policy", "--json", "--verbose", "--tenant", "--server"];

export function writeCommandReference(): string {
  const commands = listCommands({ env: {}, cwd: "/" } as Io);
  const groups = Map.groupBy(commands, ({ words }) => (words.length > 1 ? (words[0] ?? "") : ""));
  const shared = common.flatMap((name) =>
    commands.flatMap(({ options }) => options.find(({ flags }) => flags.startsWith(name)) ?? []).slice(0, 1),
  );
  return `# Commands

<!-- Made by \`npm run generate\`. -->

\`toolwright COMMAND --help\` prints the same, with examples. Most commands take these options:

${shared.map(({ flags, about }) => `- \`${flags}\`: ${plain(about)}`).join("\n")}

${[...groups]
  .sort(([one], [other]) => one.localeCompare(other, "en"))
  .map(([group, listed]) => `## ${group === "" ? "Without a group" : group}\n\n${listed.map(describe).join("\n\n")}`)
  .join("\n\n")}
`;
}

const isCommon = ({ flags }: CommandLine["options"][number]) => common.includes(flags.split(" ", 1)[0] ?? "");

function describe({ words, usage, about, options }: CommandLine): string {
  const own = options.filter((option) => !isCommon(option));
  const form = ["toolwright", ...words, usage.replace("[options]", "").trim()].filter(Boolean).join(" ");
  return [
    `### \`${form}\``,
    `${plain(about)}.`,
    ...(own.length === 0 ? [] : [own.map((each) => `- \`${each.flags}\`: ${plain(each.about)}`).join("\n")]),
  ].join("\n\n");
}

/** What Markdown would take for a tag or emphasis. */
const plain = (text: string) => text.replace(/[<>*_]/g, "\\$&");
