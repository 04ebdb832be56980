/** Buffers of one size that runs take and give back, so that a night of short programs leaves no garbage to be collected. */
export const spareBytes = 65_536;

const mostSpares = 32;
const spares: Buffer<ArrayBuffer>[] = [];

export function takeBuffer(): Buffer<ArrayBuffer> {
  return spares.pop() ?? Buffer.allocUnsafeSlow(spareBytes);
}

/** Nobody reads or writes it any more. One of another size is left to the collector. */
export function giveBuffer(buffer: Buffer<ArrayBuffer>): void {
  if (buffer.length === spareBytes && spares.length < mostSpares) spares.push(buffer);
}
