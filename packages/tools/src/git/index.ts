import gitClone from "./git-clone.ts";

export const gitTools = [gitClone] as const;
