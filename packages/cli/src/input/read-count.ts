import { CliError } from "../cli-error.ts";

/** A number from 1 on. `option` is the one that names it. */
export function readCount(text: string, option: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new CliError(`${option} wants a number from 1 on; "${text}" is none.`);
  return count;
}
