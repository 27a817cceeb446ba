import { visibleJson } from "@toolwright/engine/visible-text";

/** JSON on one line that is safe on a screen, too. */
export const jsonLine = (value: unknown): string => visibleJson(value);
