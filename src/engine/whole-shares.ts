import type { SharedText } from '../core/loop/loop.ts';
import type { StoreTx } from '../ports/store.ts';

/** What other loops shared, each text whole: the log has the heads of long ones. */
export async function wholeShares(
  tx: StoreTx,
  shared: readonly SharedText[],
  clean: (text: string) => string,
): Promise<readonly Pick<SharedText, 'from' | 'text'>[]> {
  const whole: Pick<SharedText, 'from' | 'text'>[] = [];
  for (const { from, text, messageId } of shared) {
    const message = messageId === undefined ? null : await tx.messages.get(messageId);
    whole.push({ from, text: message === null ? text : clean(message.body) });
  }
  return whole;
}
