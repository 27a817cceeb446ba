// Made by `npm run generate`.

/** Loads the views of one subject. */
export const agentsViews = {
  models: () => import("../views/models.ts"),
} as const;
