export { oneLine, visibleText } from "../contract/visible-text.ts";
