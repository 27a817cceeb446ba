/** An answer with a body that says once when it has ended, failed or lost its reader, and a way to end it before. */
export async function followBody(
  answering: Promise<Response>,
  onEnd: () => void,
): Promise<{ readonly answer: Response; readonly end: () => void }> {
  const answer = await answering.catch((error: unknown) => {
    onEnd();
    throw error;
  });
  const reader = (answer.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (!reader) {
    onEnd();
    return { answer, end() {} };
  }
  reader.closed.catch(() => {}).finally(onEnd);
  return { answer: new Response(bodyFrom(reader), answer), end: () => void reader.cancel() };
}

/** Nothing is read before somebody asks for it: a slow reader holds the answer back as before. */
function bodyFrom(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
