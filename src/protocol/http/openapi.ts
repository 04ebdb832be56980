import { z } from 'zod';
import { ApiError, protocolVersion, type Route } from './route.ts';
import { routes } from './routes.ts';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of every route, made from the schemas that parse requests and replies. */
export function openApiDocument(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operation(name, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loopwright daemon',
      version: String(protocolVersion),
      description:
        'Loopback only. Every request carries `Authorization: Bearer TOKEN`; address and token are in `.loopwright/daemon.json`.',
    },
    security: [{ token: [] }],
    paths: { ...paths, '/v1/events': { get: eventStream } },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schemaOf(ApiError(), 'output') },
    },
  };
}

function operation(name: string, route: Route): Json {
  return {
    operationId: name,
    summary: route.summary,
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(schemaOf(route.body(), 'input')) } }),
    responses: {
      200: { description: 'Done.', content: json(schemaOf(route.reply(), 'output')) },
      default: errorResponse,
    },
  };
}

function pathParameters({ path }: Route): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}

function queryParameters({ query }: Route): readonly Json[] {
  if (query === undefined) return [];
  return Object.entries(query().shape).map(([name, schema]) => {
    return { name, in: 'query', required: false, schema: schemaOf(schema, 'output') };
  });
}

function schemaOf(schema: unknown, io: 'input' | 'output'): Json {
  if (!(schema instanceof z.ZodType)) return {};
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

const errorResponse: Json = {
  description: 'Refused or failed.',
  content: json({ $ref: '#/components/schemas/Error' }),
};

const eventStream: Json = {
  operationId: 'events',
  summary:
    'Everything that is recorded, as server-sent events: `recorded` with an id to come back to, `live` without one.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      schema: { type: 'integer' },
      description: 'Go on after this position. Without it: from now on.',
    },
    { name: 'after', in: 'query', required: false, schema: { type: 'integer' } },
    { name: 'loop', in: 'query', required: false, schema: { type: 'string' } },
    {
      name: 'types',
      in: 'query',
      required: false,
      schema: { type: 'string' },
      description:
        'Only events of these types, with commas between them: `loop.rested,approval.asked`.',
    },
  ],
  responses: {
    200: {
      description:
        'Events until the reader goes away, stands still for too long, or the daemon ends.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    default: errorResponse,
  },
};
