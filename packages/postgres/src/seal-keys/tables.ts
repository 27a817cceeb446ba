export interface SealKeyTables {
  "toolwright.seal_keys": { key_id: string; key: Uint8Array; created_at: Date };
}
