import { defineTool } from "@toolwright/engine";
import { listChanges } from "./changes.ts";
import { nothing, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_trigger_tool_change",
  description: "Changes the list of tools.",
  input: nothing,
  output: textOutput,
  run() {
    listChanges.publish("tools");
    return { text: "The list of tools changed." };
  },
});
