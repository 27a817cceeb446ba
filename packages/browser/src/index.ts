export { browserTools } from "./tools/index.ts";
