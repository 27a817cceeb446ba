export { openLibrary } from "./open-library.ts";
