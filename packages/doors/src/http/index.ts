export { knowHeaderNames } from "./authentication.ts";
export { WrittenResponse } from "./written-response.ts";
