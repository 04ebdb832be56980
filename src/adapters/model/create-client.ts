import type { Clock } from '../../ports/clock.ts';
import type { Endpoint, ModelClient } from '../../ports/model-client.ts';

/** The client of an endpoint. Each is loaded only when it is needed. */
export async function createModelClient(endpoint: Endpoint, clock: Clock): Promise<ModelClient> {
  switch (endpoint.provider) {
    case 'anthropic': {
      const { createAnthropicClient } = await import('./anthropic-client.ts');
      return createAnthropicClient(endpoint, clock);
    }
    case 'openai': {
      const { createOpenAiClient } = await import('./openai-client.ts');
      return createOpenAiClient(endpoint, clock);
    }
  }
}
