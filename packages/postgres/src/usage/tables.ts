export interface UsageTables {
  "toolwright.usage_hours": {
    tenant: string;
    hour: Date;
    tool: string;
    agent: string;
    shard: number;
    done: number;
    failed: number;
    unknown: number;
    denied: number;
    cancelled: number;
    duration_ms: number;
    durations: number[];
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    /** PostgreSQL gives exact numbers as text. */
    cost: string;
  };
}
