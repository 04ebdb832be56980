const unit = 1024;

/** `71.0 GB` from a gigabyte on, `256 MB` below. */
export function formatBytes(bytes: number): string {
  const gigabytes = bytes / unit ** 3;
  return gigabytes >= 1 ? `${gigabytes.toFixed(1)} GB` : `${Math.round(bytes / unit ** 2)} MB`;
}
