export interface StreamMap<Part> {
  /** What goes on in the place of a part, in this order. Where it throws, the source is cancelled. */
  readonly map: (part: Part) => readonly Part[] | Promise<readonly Part[]>;
  /** The source has ended; where it throws, the stream fails in place of ending. */
  readonly end: () => void;
}

/** Each part as it is asked for. As a `TransformStream` does, without the two streams and the pump that one is. */
export function mapStream<Part>(source: ReadableStream<Part>, { map, end }: StreamMap<Part>): ReadableStream<Part> {
  const reader = source.getReader();
  const pull = async (controller: ReadableStreamDefaultController<Part>) => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        end();
        return controller.close();
      }
      const mapped = map(value);
      const parts = mapped instanceof Promise ? await mapped : mapped;
      for (const part of parts) controller.enqueue(part);
      if (parts.length > 0) return;
    }
  };
  return new ReadableStream<Part>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          // Its failure would be the same one, or come of nothing any more.
          reader.cancel(error).catch(() => {});
          throw error;
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
