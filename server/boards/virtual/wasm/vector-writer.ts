import { assertNever } from '../../../errors/bench-error.ts';
import type { Node } from '../graph/boolean-graph.ts';
import { type FunctionBody, I32, type Local } from './assembler.ts';
import type { Vector } from './vectors.ts';

/** Code for reading single bits and whole words. */
interface Readers {
  /** Pushes a value whose bit 0 is the node's. */
  value(node: Node): void;
  /** Pushes 0 or 1. */
  bit(node: Node): void;
  /** Pushes a word. */
  word(index: number): void;
}

/** Writes the code of a vector; repeated parts are computed once. */
export class VectorWriter {
  readonly #uses = new Map<Vector, number>();
  readonly #locals = new Map<Vector, Local>();
  readonly #spreads = new Map<Node, Local>();
  readonly #spreadUses = new Map<Node, number>();
  readonly #body: FunctionBody;
  readonly #read: Readers;

  constructor(body: FunctionBody, read: Readers) {
    this.#body = body;
    this.#read = read;
  }

  /** Pushes the vector with 0 in all lanes that it does not cover. */
  exact(vector: Vector): void {
    this.#count(vector);
    this.#masked(vector);
  }

  #count(vector: Vector): void {
    const uses = (this.#uses.get(vector) ?? 0) + 1;
    this.#uses.set(vector, uses);
    if (uses > 1) return;
    if (vector.kind === 'spread')
      this.#spreadUses.set(vector.node, (this.#spreadUses.get(vector.node) ?? 0) + 1);
    else if (vector.kind === 'flip') this.#count(vector.of);
    else if (vector.kind === 'parts') for (const part of vector.parts) this.#count(part);
    else if (vector.kind === 'and' || vector.kind === 'or' || vector.kind === 'xor' || vector.kind === 'mux')
      for (const part of vector.of) this.#count(part);
  }

  #masked(vector: Vector): void {
    const body = this.#body;
    this.#write(vector);
    if (isExact(vector) || vector.lanes === -1) return;
    body.constant(vector.lanes);
    body.op(I32.and);
  }

  #write(vector: Vector): void {
    const body = this.#body;
    const known = this.#locals.get(vector);
    if (known !== undefined) {
      body.get(known);
      return;
    }
    this.#compute(vector);
    if ((this.#uses.get(vector) ?? 0) < 2 || vector.kind === 'constant' || vector.kind === 'spread') return;
    const local = body.newLocal();
    body.tee(local);
    this.#locals.set(vector, local);
  }

  #compute(vector: Vector): void {
    const body = this.#body;
    switch (vector.kind) {
      case 'constant':
        body.constant(vector.value);
        return;
      case 'move':
        this.#read.word(vector.word);
        if (vector.shift === 0) return;
        body.constant(Math.abs(vector.shift));
        body.op(vector.shift > 0 ? I32.shrU : I32.shl);
        return;
      case 'spread':
        this.#spread(vector.node);
        return;
      case 'flip':
        this.#write(vector.of);
        // Unused lanes may be inverted too, which makes the constant shorter.
        body.constant(vector.mask === vector.lanes ? -1 : vector.mask);
        body.op(I32.xor);
        return;
      case 'and':
      case 'or':
      case 'xor':
        this.#write(vector.of[0]);
        this.#write(vector.of[1]);
        body.op(I32[vector.kind]);
        return;
      case 'mux': {
        // low ^ ((high ^ low) & select)
        const [select, high, low] = vector.of;
        this.#write(high);
        this.#write(low);
        const kept = body.newLocal();
        body.tee(kept);
        body.op(I32.xor);
        this.#write(select);
        body.op(I32.and);
        body.get(kept);
        body.op(I32.xor);
        return;
      }
      case 'parts':
        vector.parts.forEach((part, k) => {
          this.#masked(part);
          if (k > 0) body.op(I32.or);
        });
        return;
      case 'bits':
        vector.bits.forEach(({ node, bit }, k) => {
          this.#read.bit(node);
          if (bit > 0) {
            body.constant(bit);
            body.op(I32.shl);
          }
          if (k > 0) body.op(I32.or);
        });
        return;
      default:
        assertNever(vector);
    }
  }

  #spread(node: Node): void {
    const body = this.#body;
    const known = this.#spreads.get(node);
    if (known !== undefined) {
      body.get(known);
      return;
    }
    body.constant(0);
    this.#read.bit(node);
    body.op(I32.sub);
    if ((this.#spreadUses.get(node) ?? 0) < 2) return;
    const local = body.newLocal();
    body.tee(local);
    this.#spreads.set(node, local);
  }
}

/** True when lanes outside the vector's are 0 already. */
function isExact(vector: Vector): boolean {
  return vector.kind === 'constant' || vector.kind === 'bits' || vector.kind === 'parts';
}
