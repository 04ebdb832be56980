/** A small invented project, with tasks and what should be found first for each; null: nothing. */
const learning = (id: string, content: string, ...paths: string[]) => ({
  id,
  category: 'pitfall',
  content,
  tags: paths,
  paths,
});

const subjects: readonly (readonly [string, string, string])[] = [
  [
    'etag',
    'weak etag comparison must ignore the W prefix of the validator',
    'src/middleware/etag/digest.ts',
  ],
  [
    'cookie',
    'signed cookies lose their maxAge unless serializeCookie gets it',
    'src/cookie/serialize.ts',
  ],
  [
    'router',
    'the trie router sorts wildcard routes after named parameters',
    'src/router/trie-router/node.ts',
  ],
  [
    'stream',
    'a streaming response keeps the socket open until the writer is closed',
    'src/helper/streaming/stream.ts',
  ],
  [
    'jwt',
    'jwt verification needs the algorithm from the options and never from the token',
    'src/middleware/jwt/verify.ts',
  ],
  [
    'cors',
    'cors preflight answers need the Vary header for each allowed origin',
    'src/middleware/cors/preflight.ts',
  ],
  [
    'limit',
    'bodyLimit counts the bytes of the stream when contentLength is missing',
    'src/middleware/body-limit/count.ts',
  ],
  [
    'csrf',
    'the csrf check compares the origin with the host of the request',
    'src/middleware/csrf/origin.ts',
  ],
  [
    'cache',
    'cached answers are keyed by the whole url with its query',
    'src/middleware/cache/key.ts',
  ],
  [
    'jsx',
    'jsx fragments escape their children twice when rendered to a string',
    'src/jsx/fragment.ts',
  ],
  ['lambda', 'the lambda adapter encodes binary bodies as base64', 'src/adapter/lambda/handler.ts'],
  [
    'proxy',
    'the proxy helper drops hop-by-hop headers such as connection',
    'src/helper/proxy/headers.ts',
  ],
];

/** Each subject, and less central learnings around it, so that rarity means something. */
export const rankingLearnings = subjects.flatMap(([name, content, path]) => [
  learning(
    `l-${name}-tests`,
    `tests of ${name} run in every runtime and need a fake clock`,
    path.replace('.ts', '.test.ts'),
  ),
  learning(`l-${name}-docs`, `the page about ${name} in the guide is generated from comments`),
  learning(`l-${name}`, content, path),
]);

export const rankingCases: readonly {
  readonly title: string;
  readonly description: string;
  readonly first: string | null;
}[] = [
  {
    title: 'fix(etag): weak validators compare unequal',
    description: 'The `W/` prefix in etag/digest.ts',
    first: 'l-etag',
  },
  {
    title: 'body limit: requests without contentLength pass',
    description: 'bodyLimit never counts the stream.',
    first: 'l-limit',
  },
  {
    title: 'router: wildcard routes shadow named parameters',
    description: '`trie-router/node.ts` sorts wrongly',
    first: 'l-router',
  },
  {
    title: 'Keep maxAge of signed cookies',
    description: 'serializeCookie in src/cookie/serialize.ts drops it',
    first: 'l-cookie',
  },
  {
    title: 'Vary header missing in cors preflight',
    description: 'for an allowed origin',
    first: 'l-cors',
  },
  {
    title: 'Kubernetes operator leaks goroutines on reconcile',
    description: 'The informer of the custom resource never stops.',
    first: null,
  },
  {
    title: 'Upgrade the borrow checker diagnostics',
    description: 'Lifetimes of closures are reported twice by rustc.',
    first: null,
  },
];
