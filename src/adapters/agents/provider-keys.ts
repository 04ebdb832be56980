/** Variables of the providers that agents for any model know; each is handed on only if the user has it. */
export const providerKeys = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'CEREBRAS_API_KEY',
  'XAI_API_KEY',
  'ZAI_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
] as const;
