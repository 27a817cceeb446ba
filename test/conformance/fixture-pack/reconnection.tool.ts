import { defineTool } from "@toolwright/engine";
import { says } from "./samples.ts";

export default defineTool({ name: "test_reconnection", description: "Answers on the stream of its request.", ...says("The stream held.") });
