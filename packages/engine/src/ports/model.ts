import type { UsageReport } from "../contract/usage.ts";

/** Something to ask a model once: without tools, and outside of any conversation. */
export interface ModelQuestion {
  /** What it is to do, and how it answers. */
  readonly instructions: string;
  /** What it is asked, with all that it needs to answer. */
  readonly question: string;
}

export interface ModelAnswer {
  readonly text: string;
  /** For `ctx.usage.add`. */
  readonly usage: UsageReport;
}

/** A model that answers questions. */
export interface AskedModel {
  /** As agents and settings name it. */
  readonly id: string;
  /** Characters of instructions and question that surely fit. */
  readonly room: number;
  /** Rejects with `model_unavailable`. */
  ask(question: ModelQuestion): Promise<ModelAnswer>;
}

/** Gives the model of the calling agent, else the usual one. */
export interface Model {
  /** Rejects with `model_unavailable`, and with `rate_limited` for an agent that took today what it may take in a day. */
  open(): Promise<AskedModel>;
}
