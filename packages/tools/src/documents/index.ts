import documentRead from "./document-read.ts";
import documentVerify from "./document-verify.ts";

export { documentRead, documentVerify };
/** Tools that read documents. */
export const documentTools = [documentRead] as const;
/** Tools that have a model read them. */
export const verifyTools = [documentVerify] as const;
