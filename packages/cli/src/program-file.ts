import { fileURLToPath } from "node:url";

/** The file that starts the command line. */
export const programFile = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));
