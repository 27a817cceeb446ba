import { defineTool } from "@toolwright/engine";
import { z } from "zod";

let state = "idle";

export default defineTool({
  name: "wait",
  description: "Waits until it is cancelled, or says how the last wait is going.",
  input: z.object({ ask: z.boolean() }),
  output: z.object({ state: z.string() }),
  async run({ ask }, { signal, progress }) {
    if (ask) return { state };
    state = "waiting";
    progress(1, 2, "waiting");
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    state = "cancelled";
    return { state };
  },
});
