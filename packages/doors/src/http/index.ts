export { knowHeaderNames } from "./authentication.ts";
export { findWrongHost } from "./guard-request.ts";
export { WrittenResponse } from "./written-response.ts";
