const sliceMs = 8;

/** For long work without waiting: lets others have their turn when a slice of time is used up. */
export function createTurns(): () => Promise<void> {
  let sliceEnd = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < sliceEnd) return;
    await new Promise((resolve) => setImmediate(resolve));
    sliceEnd = performance.now() + sliceMs;
  };
}
