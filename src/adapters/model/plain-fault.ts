/** Node says `terminated` of a connection that was closed in the middle of an answer. */
export function plainFault(text: string): string {
  return text.replace(/^terminated\b/, 'the connection was cut');
}
