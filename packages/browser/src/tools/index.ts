import type { AnyTool } from "@toolwright/engine";

/** Tools of the browser. Their definitions load no browser. */
export const browserTools: readonly AnyTool[] = [];
