export { oneLine, visibleJson, visibleText } from "../contract/visible-text.ts";
