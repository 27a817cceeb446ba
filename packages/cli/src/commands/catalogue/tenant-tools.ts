import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describeSystemError } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readTenantTool, writeTenantTool } from "../../input/read-tenant-tool.ts";
import type { Io } from "../../io.ts";
import { type CatalogueOptions, withCatalogue } from "../context/with-catalogue.ts";

/** Adds a tool of the tenant's own, or puts it in the place of the one of that name. */
export async function add(io: Io, options: CatalogueOptions, [file = ""]: readonly string[]): Promise<number> {
  const tool = readTenantTool(await readText(io, file), file === "-" ? "stdin" : file);
  return withCatalogue(io, options, async ({ whose, operate }) => {
    const { version } = await operate("tools.put", tool);
    if (options.json) io.out(`${JSON.stringify({ ...writeTenantTool(tool), version }, null, 2)}\n`);
    else io.out(`${whose} has the tool ${tool.tool}, with version ${version} of its schemas.\n`);
    io.err(
      "Nothing here runs tools of tenants: it is listed, enabled, narrowed and checked like any other, and a call fails with not_executable.\n",
    );
    return exitCodes.done;
  });
}

async function readText(io: Io, file: string): Promise<string> {
  if (file === "-") return io.readStdin();
  return readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => {
    throw new CliError(`${file} cannot be read: ${describeSystemError(cause)}.`, { cause });
  });
}
