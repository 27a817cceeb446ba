// Every subject, a line each. What is not exported here does not exist for any door.
export { modelsSubject } from "./models.ts";
