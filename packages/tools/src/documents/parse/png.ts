import { crc32, deflateSync } from "node:zlib";

/** Pixels in rows from the top, a byte for each channel. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3 | 4;
  readonly data: Uint8Array;
}

const signature = Buffer.from("89504e470d0a1a0a", "hex");
/** Colour types of PNG by the number of channels. */
const colours = { 1: 0, 3: 2, 4: 6 } as const;

/** Writes pixels as PNG (ISO 15948). */
export function writePng({ width, height, channels, data }: Pixels): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colours[channels]], 8);
  const row = width * channels;
  const rows = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(data.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Makes a picture smaller by a whole factor, so that neither side is longer than `most`: each pixel is the mean of those that it stands for. */
export function shrink(pixels: Pixels, most: number): Pixels {
  const factor = Math.ceil(Math.max(pixels.width, pixels.height) / most);
  if (factor <= 1) return pixels;
  const { channels, data } = pixels;
  const [width, height] = [Math.max(1, Math.floor(pixels.width / factor)), Math.max(1, Math.floor(pixels.height / factor))];
  const [across, down] = [Math.min(factor, pixels.width), Math.min(factor, pixels.height)];
  const small = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < channels; channel += 1, to += 1) {
        let sum = 0;
        for (let dy = 0; dy < down; dy += 1)
          for (let dx = 0; dx < across; dx += 1)
            sum += data[((y * factor + dy) * pixels.width + x * factor + dx) * channels + channel] ?? 0;
        small[to] = sum / (across * down);
      }
  return { width, height, channels, data: small };
}
