export { minuteOf } from "../contract/minute-of.ts";
export { oneLine, visibleText } from "../contract/visible-text.ts";
