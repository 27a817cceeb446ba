import type { Generated } from "kysely";

export interface LimitTables {
  "toolwright.rate_counters": { tenant: string; key: string; times: Generated<number[]>; idle_at: Generated<Date> };
}
