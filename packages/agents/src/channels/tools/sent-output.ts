import { z } from "zod";

/** Of a message that a worker sends. */
export const sentOutput = z.object({
  message: z.string().describe("Id of the message"),
  job: z.string().describe("Id of the job that sends it"),
});
