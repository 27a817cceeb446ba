import type { Generated } from "kysely";

export interface RecoveryTables {
  "toolwright.processes": {
    process: string;
    role: string;
    host: string;
    place: string | null;
    admits: Generated<string | null>;
    started_at: Generated<Date>;
    seen_at: Date;
  };
  "toolwright.calls_in_flight": { tenant: string; call_id: string; process: string };
  "toolwright.lost_calls": { tenant: string; process: string; call_id: string; at: Generated<Date> };
}
