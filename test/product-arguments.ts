import { fileURLToPath } from "node:url";

/** For Node, before a program of the tests that imports the product by name: from its sources, joined to few files as in every command. */
export const productArguments: readonly string[] = [
  "--conditions=@toolwright/source",
  `--import=${fileURLToPath(new URL("from-bundle.mjs", import.meta.url))}`,
];
