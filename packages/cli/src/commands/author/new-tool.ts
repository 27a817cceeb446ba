import { readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { makeFolder } from "../../state/make-folder.ts";
import { makeToolsFolder } from "../../trust/tools-folder.ts";
import { trustWritten } from "../../trust/trust-written.ts";

const template = new URL("../../../templates/sample.tool.ts", import.meta.url);
const allowedName = /^[a-z][a-z0-9_-]{0,63}$/;

/** Writes a tool that works as it is, and never over a file that is there. */
export async function newTool(io: Io, options: CommonOptions, [name = ""]: readonly string[]): Promise<number> {
  if (!allowedName.test(name)) {
    throw new CliError(
      `"${name}" cannot be a tool's name. Use a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-", e.g. ${suggestName(name)}.`,
    );
  }
  const { tools, toolsNamed, state } = readSettings(options, io);
  const folder = tools ?? resolve(io.cwd, "tools");
  const file = join(folder, `${name.replaceAll("_", "-")}.tool.ts`);
  if (toolsNamed) makeFolder(folder);
  else makeToolsFolder(folder, { state });
  await writeNew(file, (await readFile(template, "utf8")).replace('name: "sample"', `name: "${name}"`));
  const isHis = !toolsNamed && trustWritten(file, { folder, state });
  io.out(`${file}\n`);
  const option = isHis ? "" : ` --tools ${relative(io.cwd, folder) || "."}`;
  io.err(`Wrote a tool that counts words. Next:
  edit it                toolwright reads *.tool.ts of ${folder}; a running server of that folder takes changes by itself
  check it               toolwright test ${folder}
  try it                 echo "three short words" > workspace/notes.txt && toolwright call ${name} --path notes.txt${option}
`);
  return exitCodes.done;
}

async function writeNew(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content, { flag: "wx" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    throw new CliError(`${file} is there already, and is left as it is. Choose another name, or edit it.`, { cause });
  }
}

function suggestName(name: string): string {
  const plain = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^[^a-z]+|_+$/g, "");
  return plain.slice(0, 64) || "word_count";
}
