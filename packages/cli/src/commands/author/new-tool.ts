import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { visibleText } from "@toolwright/engine/ports";
import { loadDefinitions } from "@toolwright/server/policy-file";
import type { Settings } from "@toolwright/server/settings";
import { makeFolder } from "@toolwright/server/state";
import { makeToolsFolder, trustWritten } from "@toolwright/server/trust";
import { builtinTools } from "@toolwright/tools";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeOptions } from "../../output/describe-options.ts";
import { programName } from "../../output/program-name.ts";
import { shellWord } from "../../output/shell-word.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";

const template = new URL("../../../templates/sample.tool.ts", import.meta.url);
const allowedName = /^[a-z][a-z0-9_-]{0,63}$/;

/** Writes a tool that works as it is, and never over a file that is there. */
export async function newTool(io: Io, options: CommonOptions, [name = ""]: readonly string[]): Promise<number> {
  if (!allowedName.test(name)) {
    throw new CliError(
      `"${name}" cannot be a tool's name. Use a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-", e.g. ${suggestName(name)}.`,
    );
  }
  const settings = readSettings(options, io);
  const { toolsNamed, state } = settings;
  const folder = settings.tools ?? resolve(io.cwd, "tools");
  const file = join(folder, `${name.replaceAll("_", "-")}.tool.ts`);
  if (existsSync(file)) throw isThere(file);
  await refuseTaken(name, { ...settings, tools: folder }, io);
  if (toolsNamed) makeFolder(folder);
  else makeToolsFolder(folder, { state });
  await writeNew(file, (await readFile(template, "utf8")).replace('name: "sample"', `name: "${name}"`));
  const isHis = !toolsNamed && trustWritten(file, { folder, state });
  io.out(`${file}\n`);
  const typed = (path: string) => shellWord(relative(io.cwd, path) || ".");
  const program = programName(io);
  const places = describeOptions({ ...options, ...(isHis ? {} : { tools: relative(io.cwd, folder) || "." }) });
  const notes = typed(join(settings.workspace, "notes.txt"));
  io.err(`Wrote a tool that counts words. Next:
  edit it    a running server of ${visibleText(folder)} takes each change at once
  check it   ${program} test ${typed(file)}
  try it     mkdir -p ${typed(settings.workspace)} && echo "three short words" > ${notes} && ${program} call${places} ${name} --path notes.txt
`);
  return exitCodes.done;
}

/** Two tools of one name would leave each other out. */
async function refuseTaken(name: string, settings: Settings, io: Io): Promise<void> {
  const known = await loadDefinitions(settings, io);
  if (!known.has(name)) return;
  const whose = builtinTools.some((tool) => tool.name === name) ? "a built-in tool" : `a tool of ${settings.tools}`;
  throw new CliError(`The name ${name} is taken by ${whose}; nothing was written. Choose another name, e.g. my_${name}.`);
}

async function writeNew(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content, { flag: "wx" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    throw isThere(file, cause);
  }
}

const isThere = (file: string, cause?: unknown) =>
  new CliError(`${file} is there already, and is left as it is. Choose another name, or edit it.`, { cause });

function suggestName(name: string): string {
  const plain = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^[^a-z]+|(?<!_)_+$/g, "");
  return plain.slice(0, 64) || "word_count";
}
