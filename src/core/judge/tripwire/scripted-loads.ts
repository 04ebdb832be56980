import { folderOf, joined } from './name.ts';
import { simpleStatements } from './statements.ts';
import type { Load, Neighbour, World } from './template.ts';

/** `require_relative '../calc'`, and `require 'calc'` where one file of the repository is called so. */
export function rubyLoads({ path, text }: Neighbour, { files }: World): readonly Load[] {
  return simpleStatements(text).flatMap((statement): readonly Load[] => {
    const found = /^(require|require_relative)[ (]+['"]([\w./-]+)['"]/.exec(statement);
    const [, how, spec = ''] = found ?? [];
    if (how === undefined) return [];
    const name = spec.endsWith('.rb') ? spec : `${spec}.rb`;
    const file =
      how === 'require' ? endingIn(name, files) : existing(joined(folderOf(path), name), files);
    return file === null ? [] : [{ spec, file }];
  });
}

/** Files that are named by their path, and classes by the name of their file. */
export function phpLoads({ path, text }: Neighbour, { files }: World): readonly Load[] {
  const statements = simpleStatements(text.replace('<?php', '').trimStart());
  return statements.flatMap((statement): readonly Load[] => {
    const [, spec] =
      /^(?:require|include)(?:_once)?\b[^'"]{0,40}['"]([\w./-]+)['"]/.exec(statement) ?? [];
    const [, name] = /^use [\w\\]*?(\w+)$/.exec(statement) ?? [];
    const file =
      spec === undefined
        ? name === undefined
          ? null
          : endingIn(`${name}.php`, files)
        : existing(joined(folderOf(path), spec.replace(/^\//, '')), files);
    return file === null ? [] : [{ spec: spec ?? name ?? '', file }];
  });
}

function existing(path: string, files: ReadonlySet<string>): string | null {
  return files.has(path) ? path : null;
}

function endingIn(name: string, files: ReadonlySet<string>): string | null {
  const inner = name.replace(/^(?:\.\.?\/)+/, '');
  return [...files].find((file) => file === inner || file.endsWith(`/${inner}`)) ?? null;
}
