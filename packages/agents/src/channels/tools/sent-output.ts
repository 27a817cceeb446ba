import { z } from "zod";

/** Output of tools that leave a message to a worker. */
export const sentOutput = z.object({
  message: z.string().describe("Id of the message"),
  job: z.string().describe("Id of the job that sends it"),
});
