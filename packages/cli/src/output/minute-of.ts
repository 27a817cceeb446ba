export { minuteOf } from "@toolwright/engine/visible-text";
