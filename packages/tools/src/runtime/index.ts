import exec from "./exec.ts";
import processList from "./process-list.ts";
import processRead from "./process-read.ts";
import processStop from "./process-stop.ts";
import processWrite from "./process-write.ts";

export { exec, processList, processRead, processStop, processWrite };
export const runtimeTools = [exec, processList, processRead, processWrite, processStop] as const;
