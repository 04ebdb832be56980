import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderOutput, truncationMarker } from '../../../src/core/progress/output.ts';
import { hostileText } from './entry.ts';
import { shows } from '../../support/shows.ts';

const points = (text: string) => Array.from(text).length;

describe('output', () => {
  it('keeps a short output as it is, without the blank around it', () => {
    expect(renderOutput('\n  ok  \n\n', '', 50)).toBe('ok');
  });

  it('keeps the end behind a marker that is not counted', () => {
    shows('000.tail-kept', '000.truncation-marker');
    expect(renderOutput('abcdefgh', '', 3)).toBe(`${truncationMarker}\nfgh`);
  });

  it('takes stderr when stdout is blank', () => {
    expect(renderOutput(' \n', 'abcdefgh', 3)).toBe(`${truncationMarker}\nfgh`);
  });

  it('gives each stream half when both are long', () => {
    shows('000.stdout-preferred');
    const text = renderOutput('o'.repeat(20), 'e'.repeat(20), 10);
    expect(text).toBe(`${truncationMarker}\nooooo\n${truncationMarker}\neeeee`);
  });

  it('gives unused room of stdout to stderr', () => {
    shows('000.stdout-preferred');
    expect(renderOutput('oo', 'e'.repeat(20), 10)).toBe(`oo\n${truncationMarker}\neeeeeeee`);
  });

  it('gives unused room of stderr to stdout', () => {
    expect(renderOutput('o'.repeat(20), 'eee', 10)).toBe(`${truncationMarker}\nooooooo\neee`);
  });

  it('never splits a code point', () => {
    shows('000.cut-by-bytes');
    expect(renderOutput('😀😀😀', '', 2)).toBe(`${truncationMarker}\n😀😀`);
  });

  it('stays within the limit, markers and the break between streams aside', () => {
    fc.assert(
      fc.property(hostileText, hostileText, fc.integer({ min: 1, max: 80 }), (out, err, max) => {
        const text = renderOutput(out, err, max);
        const allowed = max + 2 * (truncationMarker.length + 1) + 1;
        expect(points(text)).toBeLessThanOrEqual(allowed);
      }),
    );
  });

  it('shows the very end of each stream', () => {
    fc.assert(
      fc.property(hostileText, hostileText, fc.integer({ min: 10, max: 80 }), (out, err, max) => {
        const text = renderOutput(out, err, max);
        for (const stream of [out.trim(), err.trim()]) {
          expect(text).toContain(Array.from(stream).slice(-5).join(''));
        }
      }),
    );
  });

  it('says truncated exactly when something is left out', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        (out, max) => {
          const left = points(out.trim()) > max;
          expect(renderOutput(out, '', max).startsWith(truncationMarker)).toBe(left);
        },
      ),
    );
  });
});
