import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { textOutput } from "./samples.ts";

export default defineTool({
  name: "test_custom_header",
  description: "Takes a region, which requests repeat in a header.",
  input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
  output: textOutput,
  run: ({ region }) => ({ text: `Region: ${region}` }),
});
