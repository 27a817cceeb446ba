export interface ClientSessionTables {
  "toolwright.client_sessions": { tenant: string; session: string; owner: string; opening: string; used_at: Date };
}
