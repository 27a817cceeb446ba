import { definePort } from "@toolwright/engine/operations";

/** A page that an agent has open. */
export interface OpenBrowser {
  readonly session: string;
  readonly agent?: string;
  readonly url: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  readonly usedAt: number;
}

/** What a page looks like now. */
export interface BrowserFrame {
  readonly jpeg: Uint8Array;
  readonly url: string;
  readonly title: string;
}

/** For people who follow what agents do in browsers. *Contract:* another tenant's sessions are like those there are not. */
export interface BrowserInspector {
  list(tenant: string): Promise<readonly OpenBrowser[]>;
  /** Undefined where the session has no page, or one that cannot be shown now. */
  frame(tenant: string, session: string): Promise<BrowserFrame | undefined>;
  /** False where the session has no page. */
  close(tenant: string, session: string): Promise<boolean>;
}

export const browsersPort = definePort<BrowserInspector>()("browsers", "the inspector of a browserCapability() of @toolwright/browser");
