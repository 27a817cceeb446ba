import documentRead from "./document-read.ts";

export { documentRead };
export const documentTools = [documentRead] as const;
