import type { ContentBlock } from "@toolwright/engine";
import { z } from "zod";

/** One red pixel. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV header without samples. */
export const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export const nothing = z.object({});
export const textOutput = z.object({ text: z.string() });
export const textBlock = ({ text }: { readonly text: string }): ContentBlock[] => [{ type: "text", text }];

/** A tool that has nothing to do but to say something. */
export const says = (text: string) => ({ input: nothing, output: textOutput, toModel: textBlock, run: () => ({ text }) });
