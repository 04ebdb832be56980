/** Collects text that may be endless and keeps its beginning and its end. Memory stays within three times the limit. */
export type HeadAndTail = {
  push(text: string): void;
  /** What was kept, with a line that says how much is missing in between. */
  text(): string;
  /** Characters seen. */
  seen(): number;
};

export function createHeadAndTail(maxChars: number): HeadAndTail {
  const half = Math.floor(maxChars / 2);
  let head = '';
  let tail = '';
  let seen = 0;
  return {
    push(text) {
      seen += text.length;
      const room = half - head.length;
      head += text.slice(0, Math.max(room, 0));
      if (room >= text.length) return;
      tail += text.slice(Math.max(room, 0));
      if (tail.length > 2 * half) tail = tail.slice(-half);
    },
    text() {
      const end = tail.slice(-half);
      const missing = seen - head.length - end.length;
      const whole =
        missing > 0 ? `${head}\n… [${missing} characters left out] …\n${end}` : head + end;
      return whole.toWellFormed();
    },
    seen: () => seen,
  };
}
