import { isUtf8 } from "node:buffer";
import { parseConfiguration, type Setting } from "../repository/parse-configuration.ts";

/** The settings of a file that may have to be written again without some of them, which keeps the rest only where every byte is text. */
export function readSettings(content: Buffer): readonly Setting[] | undefined {
  return isUtf8(content) ? parseConfiguration(content.toString()) : undefined;
}
