// Of a Toolwright in a process of its own: which modules of the AI SDK are loaded before its first turn, and what memory that turn takes. Prints JSON.
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let loaded = 0;
registerHooks({
  load(url, context, next) {
    if (/\/node_modules\/ai\//.test(url)) loaded += 1;
    return next(url, context);
  },
});
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const residentMb = () => {
  for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().rss / 2 ** 20;
};

const { agentTools } = await import("@toolwright/agents");
const { createToolwright } = await import("@toolwright/server");
const toolwright = await createToolwright({ tools: agentTools, workspace: `${tmpdir()}/toolwright-bench-${process.pid}` });
const ann = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: ["agents:run"] } as const;
const scope = toolwright.engine.scope(ann, { session: "bench" });
const [before, mbBefore] = [loaded, residentMb()];
const { status } = await scope.invokeNamed("agent_run", { agent: "assistant", message: "Hello." });
if (status !== "done") throw new Error(`The turn ended as ${status}.`);
const mbMore = residentMb() - mbBefore;
if (loaded === 0) throw new Error("The AI SDK is not to be seen where it is looked for.");
console.log(JSON.stringify({ before, mbMore }));
await toolwright.close();
