export { minuteOf } from "../contract/minute-of.ts";
export { nearestName } from "../contract/nearest-name.ts";
export { isProtectionNote } from "../contract/protection-note.ts";
export { count, oneLine, visibleJson, visibleText } from "../contract/visible-text.ts";
