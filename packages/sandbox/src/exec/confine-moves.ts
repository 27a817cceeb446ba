import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { isInside } from "./confine-workdir.ts";

/** `cd FOLDER`, with or without quotes. */
const move = /(?:^|[\s;&|({])cd[ \t]+(?:'([^'\n]+)'|"([^"\n]+)"|([^\s;&|<>(){}'"]+))/g;
/** The policy takes such a folder for one of the workspace, by its text. */
const isBelow = (folder: string) => !/^[/~-]/.test(folder) && !folder.split("/").includes("..");

/**
 * Rejects with `command_refused` when a folder that the command enters, and that reads like one of the workspace, is a link that leads out
 * of it. What is not there is left to the command.
 * @param workdir - where the command begins, relative to the workspace.
 */
export async function confineMoves(workspace: string, workdir: string, command: string): Promise<void> {
  if (!command.includes("cd")) return;
  const root = await realpath(workspace);
  let places = [join(root, workdir)];
  for (const [, single, double, plain = ""] of command.matchAll(move)) {
    const folder = single ?? double ?? plain.replaceAll("\\", "");
    if (!isBelow(folder)) continue;
    const entered = await Promise.all(places.map((place) => realpath(join(place, folder)).catch(() => undefined)));
    if (entered.some((place) => place !== undefined && !isInside(root, place))) {
      throw new ToolwrightError(
        "command_refused",
        `The command enters ${JSON.stringify(folder)}, a link that leads out of the workspace. Name a folder inside the workspace.`,
      );
    }
    places = [...new Set([...places, ...entered.filter((place) => place !== undefined)])].slice(-8);
  }
}
