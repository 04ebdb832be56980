import type { QueueSnapshot } from '../../core/schedule/queue-view.ts';
import { waitingText } from './loop-lines.ts';

/** What a view has told already: the same is found out for every loop, and once is enough. */
export class Told {
  readonly #notices = new Set<string>();
  #wait = '';

  /** Whether a notice is new; it is told from now on. */
  isNews(text: string): boolean {
    const isNews = !this.#notices.has(text);
    this.#notices.add(text);
    return isNews;
  }

  /** Why loops wait, when other reasons hold than at the last call; null: nothing new, or nobody waits. */
  newWait(queue: QueueSnapshot): string | null {
    // Of a provider that is down it is told by itself: since when, the next try, and how many loops wait.
    const places = queue.places.filter(({ obstacle }) => obstacle.kind !== 'outage');
    const reasons = new Set(places.map(({ obstacle }) => obstacle.kind));
    const wait = [...reasons].join(' ');
    if (wait === this.#wait) return null;
    this.#wait = wait;
    return waitingText({ ...queue, places });
  }
}
