export { count } from "../contract/count.ts";
export { minuteOf } from "../contract/minute-of.ts";
export { nearestName } from "../contract/nearest-name.ts";
export { isProtectionNote } from "../contract/protection-note.ts";
export { oneLine, visibleJson, visibleText } from "../contract/visible-text.ts";
