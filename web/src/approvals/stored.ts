import type { Answer } from "../api/queries.ts";

/** An approval, open or answered. */
export type Stored = Answer<"approvals.get">;
