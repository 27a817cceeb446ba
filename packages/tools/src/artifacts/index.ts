import artifactRead from "./artifact-read.ts";

export { artifactRead };

export const artifactTools = [artifactRead] as const;
