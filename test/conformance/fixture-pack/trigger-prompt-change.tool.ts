import { defineTool } from "@toolwright/engine";
import { listChanges } from "./changes.ts";
import { nothing, textOutput } from "./samples.ts";

export default defineTool({
  name: "test_trigger_prompt_change",
  description: "Changes the list of prompts.",
  input: nothing,
  output: textOutput,
  run() {
    listChanges.publish("prompts");
    return { text: "The list of prompts changed." };
  },
});
