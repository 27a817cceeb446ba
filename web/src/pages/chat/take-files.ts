/** Of one, and of one message: what the server takes. */
const mostBytes = 10_000_000;
const mostFiles = 10;

/** What goes with the next message, and why some of what was given does not. */
export interface Attaching {
  readonly files: readonly File[];
  readonly problems: readonly string[];
}

export const nothingAttached: Attaching = { files: [], problems: [] };

/** Reads what was given; the result adds it to what is there. Read at once: a file may be changed or gone when the message is sent. */
export async function takeFiles(given: readonly File[]): Promise<(had: readonly File[]) => Attaching> {
  const read = await Promise.all(given.map(readFile));
  const fine = read.filter((each) => each instanceof File);
  const refused = read.filter((each) => typeof each === "string");
  return (had) => {
    const files = [...had, ...fine].slice(0, mostFiles);
    const beyond = had.length + fine.length - files.length;
    const tooMany = `A message has at most ${mostFiles} attachments: ${beyond} ${beyond === 1 ? "was" : "were"} not added.`;
    return { files, problems: beyond > 0 ? [...refused, tooMany] : refused };
  };
}

/** Why not, where it cannot be attached. */
async function readFile(file: File): Promise<File | string> {
  const { name, size, type } = file;
  if (size > mostBytes) return `${name} has ${countBytes(size)} and an attachment at most ${countBytes(mostBytes)}: it was not added.`;
  try {
    return new File([await file.arrayBuffer()], name, { type });
  } catch {
    return `${name} cannot be read: it was not added. Pack a folder into a file first.`;
  }
}

export const countBytes = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "byte" : "bytes"}`;
