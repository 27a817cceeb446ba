export { visibleText } from "../contract/visible-text.ts";
