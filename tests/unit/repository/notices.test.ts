import { describe, expect, test } from 'vitest';
import { packageFolder } from '../../../resources/licences/bundled-packages.mjs';
import { noticesOf } from '../../../resources/licences/notices.ts';
import type { ShippedPackage } from '../../../resources/licences/shipped-packages.ts';

describe('THIRD-PARTY-NOTICES.txt', () => {
  const licensed: ShippedPackage = {
    name: 'fastify',
    version: '5.0.0',
    licence: 'MIT',
    folder: 'node_modules/fastify',
    partOf: null,
  };

  test('cannot be generated when a shipped package has no licence text', () => {
    const bare = { ...licensed, name: 'bare', licence: 'WTFPL', folder: 'node_modules/.absent' };
    expect(() => noticesOf([licensed, bare])).toThrow(
      /^bare 5\.0\.0 is shipped without a licence text \(WTFPL\): /,
    );
  });

  test('explains the origin of a text that the package lacks', () => {
    expect(
      noticesOf([
        { ...licensed, name: 'native', folder: 'node_modules/.absent', partOf: 'node_modules/usb' },
      ]),
    ).toContain(
      'native has no text of its own: it is a part of the package that has this one.\n\nThe MIT License',
    );
  });
});

describe('a module of a bundle', () => {
  test('belongs to the innermost package, to the bundler or to us', () => {
    const of = (id: string) => packageFolder('/app', id);
    expect(of('/app/renderer/main.tsx')).toBeNull();
    expect(of('/app/node_modules/react/index.js?commonjs-es-import')).toBe('node_modules/react');
    expect(of('\0/app/node_modules/react/index.js?commonjs-proxy')).toBe('node_modules/react');
    expect(of('/app/node_modules/@a/b/node_modules/c/x.css')).toBe('node_modules/@a/b/node_modules/c');
    expect(of('\0rolldown/runtime.js')).toBe('node_modules/rolldown');
    expect(() => of('\0somebody/else.js')).toThrow(/whose code is that/);
  });
});
