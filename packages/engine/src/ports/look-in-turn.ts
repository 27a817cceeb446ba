export interface LookInTurnOptions {
  /** Nobody looks any more. */
  readonly isOver: () => boolean;
  /** A look failed; the next one may not. */
  readonly report: (error: unknown) => void;
}

/** Looks for work whenever it is called, never twice at once: what is asked for during a look is one look more. */
export function lookInTurn(lookOnce: () => Promise<void>, { isOver, report }: LookInTurnOptions): () => void {
  let isLooking = false;
  let isAskedAgain = false;
  const look = () => {
    isAskedAgain = true;
    if (isOver() || isLooking) return;
    isLooking = true;
    isAskedAgain = false;
    void lookOnce()
      .catch(report)
      .finally(() => {
        isLooking = false;
        if (isAskedAgain) look();
      });
  };
  return look;
}
