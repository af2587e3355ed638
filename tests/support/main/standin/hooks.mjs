const target = new URL('./electron.mjs', import.meta.url).href;
export async function resolve(specifier, context, next) {
  return /^electron(\/(main|common))?$/.test(specifier)
    ? { url: target, format: 'module', shortCircuit: true }
    : next(specifier, context);
}
