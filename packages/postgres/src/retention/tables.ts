export interface RetentionTables {
  "toolwright.upkeep": {
    work: string;
    due_at: Date;
    process: string | null;
    leased_until: Date | null;
    done_at: Date | null;
    outcome: unknown;
  };
}
