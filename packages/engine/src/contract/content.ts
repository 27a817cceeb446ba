/** What a model can read, in MCP's terms (2026-07-28, "ContentBlock"). Binary data is base64. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
      readonly description?: string;
    }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType?: string; readonly text?: string; readonly blob?: string };
    };

/** Content that no text can stand for. */
export type MediaBlock = Extract<ContentBlock, { readonly type: "image" | "audio" }>;
