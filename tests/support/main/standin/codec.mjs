// Text codec for values crossing process boundaries. Mirrors the structured-clone algorithm
// closely enough for IPC; anything that cannot be cloned fails as Electron does.
// makeCodec is also injected into the page by source text, so it must not use outer names.
export function makeCodec() {
  const bytes = (v) =>
    v instanceof ArrayBuffer ? new Uint8Array(v) : new Uint8Array(v.buffer, v.byteOffset, v.byteLength);
  const b64 = (u) => {
    let s = '';
    for (let i = 0; i < u.length; i += 0x8000)
      s += String.fromCharCode.apply(null, u.subarray(i, i + 0x8000));
    return btoa(s);
  };
  const unb64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));
  const enc = (v, seen) => {
    switch (typeof v) {
      case 'string':
      case 'boolean':
        return v;
      case 'number':
        return Number.isFinite(v) && !Object.is(v, -0) ? v : ['n', Object.is(v, -0) ? '-0' : String(v)];
      case 'undefined':
        return ['u'];
      case 'bigint':
        return ['i', String(v)];
      case 'function':
      case 'symbol':
        throw new Error('An object could not be cloned.');
    }
    if (v === null) return null;
    if (seen.includes(v)) throw new Error('electron stand-in: cyclic values over IPC are not supported');
    const next = [...seen, v],
      tag = Object.prototype.toString.call(v).slice(8, -1);
    if (Array.isArray(v)) return ['a', v.map((x) => enc(x, next))];
    if (tag === 'Date') return ['d', v.getTime()];
    if (tag === 'RegExp') return ['r', v.source, v.flags];
    if (tag === 'Map') return ['m', [...v].map(([k, x]) => [enc(k, next), enc(x, next)])];
    if (tag === 'Set') return ['s', [...v].map((x) => enc(x, next))];
    if (tag === 'Error') return ['e', v.name, v.message, v.stack];
    if (tag === 'ArrayBuffer') return ['b', 'ArrayBuffer', b64(bytes(v))];
    if (ArrayBuffer.isView(v)) return ['b', tag, b64(bytes(v))];
    if (/^(Promise|WeakMap|WeakSet|WeakRef|Window|.*Element|Generator.*)$/.test(tag))
      throw new Error('An object could not be cloned.');
    return ['o', Object.keys(v).map((k) => [k, enc(v[k], next)])];
  };
  const dec = (v) => {
    if (!Array.isArray(v)) return v;
    const [t, a, b, c] = v;
    switch (t) {
      case 'n':
        return Number(a);
      case 'u':
        return undefined;
      case 'i':
        return BigInt(a);
      case 'a':
        return a.map(dec);
      case 'd':
        return new Date(a);
      case 'r':
        return new RegExp(a, b);
      case 'm':
        return new Map(a.map(([k, x]) => [dec(k), dec(x)]));
      case 's':
        return new Set(a.map(dec));
      case 'e': {
        const e = new (
          { RangeError, TypeError, SyntaxError, ReferenceError, EvalError, URIError }[a] ?? Error
        )(b);
        e.stack = c;
        return e;
      }
      case 'b': {
        const u = unb64(b);
        return a === 'ArrayBuffer' ? u.buffer : new globalThis[a](u.buffer);
      }
      case 'o':
        return Object.fromEntries(a.map(([k, x]) => [k, dec(x)]));
    }
    throw new Error('bad wire value');
  };
  return { encode: (v) => JSON.stringify(enc(v, [])), decode: (s) => dec(JSON.parse(s)) };
}
