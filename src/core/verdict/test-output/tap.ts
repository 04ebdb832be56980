import { addError, addFailure } from './draft.ts';
import { readPrintedError } from './node-load-error.ts';
import { createSummaryReader } from './node-summary.ts';
import type { Reader, Runner } from './runner.ts';
import { createDiagnostic, readDiagnosticLine, type TapDiagnostic } from './tap-diagnostic.ts';
import { indentOf, readTapPoint, type TapPoint } from './tap-line.ts';
import * as tapStream from './tap-stream.ts';

/** TAP 12 to 14 with nested subtests, of any producer; node:test is told by its closing block. */
export const tap: Runner = { name: 'tap', starts: 'Ton1', read };

function read(): Reader {
  const streams: tapStream.TapStream[] = [];
  const readSummary = createSummaryReader('#');
  let diagnostic: TapDiagnostic | null = null;

  const open = (number: number, isAnchored: boolean, plan: number | null): tapStream.TapStream => {
    const stream = tapStream.createStream(number, isAnchored, plan);
    streams.push(stream);
    return stream;
  };
  const current = (number: number): tapStream.TapStream => {
    const last = streams.at(-1);
    return last === undefined || last.isClosed ? open(number, false, null) : last;
  };
  const streamOf = (point: TapPoint, number: number): tapStream.TapStream => {
    const stream = current(number);
    return tapStream.endsBefore(stream, point)
      ? open(number, stream.draft.anchored, stream.nextPlan)
      : stream;
  };

  return {
    line: (text, number) => {
      const stream = streams.at(-1);
      const indent = indentOf(text);
      if (diagnostic !== null && stream !== undefined) {
        const isEnd = indent === diagnostic.indent && text.startsWith('...', indent);
        if (!isEnd && (indent >= diagnostic.indent || text.trim() === '')) {
          readDiagnosticLine(diagnostic, text, indent);
          return;
        }
        tapStream.applyDiagnostic(stream, diagnostic);
        diagnostic = null;
        if (isEnd) return;
      }
      if (text.startsWith('TAP version 1')) {
        open(number, true, null).hasHeader = true;
        return;
      }
      const point = readTapPoint(text, indent);
      if (point !== null) {
        // Only inside a known stream may a point go without its number: "ok" alone is an ordinary word.
        const isTap = stream !== undefined && (stream.draft.anchored || tapStream.hasPlan(stream));
        if (stream?.isClosed === true && (point.number ?? 1) > 1) {
          // The stream was ended by what a test printed, or a test goes on printing.
          if (!point.isOk) stream.draft.incomplete = true;
          return;
        }
        if (point.number !== null || isTap)
          tapStream.addPoint(streamOf(point, number), point, number);
        return;
      }
      const plan = readPlan(text);
      if (plan !== null) {
        tapStream.addPlan(current(number), plan, number);
        return;
      }
      if (stream === undefined || stream.isClosed) return;
      if (text.startsWith('---', indent) && stream.last !== null && indent > stream.last.indent) {
        diagnostic = createDiagnostic(indent);
        return;
      }
      if (/^[^#\s}]/.test(text) && tapStream.hasPoints(stream) && !tapStream.isComplete(stream))
        stream.isInterrupted = true;
      const summary = readSummary(text, number);
      if (summary !== null) tapStream.closeByNode(stream, summary, number);
      else readOther(stream, text, indent);
    },
    isIdle: () => streams.length === 0,
    end: () => {
      const last = streams.at(-1);
      if (diagnostic !== null && last !== undefined) tapStream.applyDiagnostic(last, diagnostic);
      for (const stream of streams) tapStream.closeStream(stream);
      return streams
        .filter((stream) => stream.hasHeader || tapStream.hasPoints(stream))
        .map(({ draft }) => draft);
    },
  };
}

function readPlan(text: string): number | null {
  if (!text.startsWith('1..')) return null;
  const match = /^1\.\.(\d{1,9})(?: *#.*)?$/.exec(text);
  return match === null ? null : Number(match[1]);
}

function readOther(stream: tapStream.TapStream, text: string, indent: number): void {
  const { last, draft } = stream;
  if (text.startsWith('# Subtest: ', indent)) {
    tapStream.enterTitle(
      stream,
      indent,
      text.slice(indent + '# Subtest: '.length).replaceAll('\\#', '#'),
    );
  } else if (text.startsWith('Bail out!')) {
    addError(draft, text);
  } else if (text.trim() === '}') {
    tapStream.closeBlock(stream, indent);
  } else if (text.startsWith('#   ', indent)) {
    tapStream.addComment(stream, text.slice(indent + 1).trim());
  } else if (text.startsWith('# Looks like your test exited with ')) {
    addError(draft, text.slice(2));
  } else if (text.startsWith('# ')) {
    stream.printedError ||= readPrintedError(text.slice(2));
  } else if (last !== null && last.isFailed && indent > last.indent && text.trim() !== '') {
    // Producers without YAML print the error indented below the point; its first line is the message.
    if (last.detail !== -1) addFailure(draft, last.name, text);
    last.isFailed = false;
  }
}
