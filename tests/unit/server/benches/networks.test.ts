import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { multicastAddresses } from '../../../../server/benches/multicast.ts';

const of = (family: 'IPv4' | 'IPv6', address: string, internal = false) =>
  ({ family, address, internal, netmask: '', mac: '', cidr: null, scopeid: 0 }) as NetworkInterfaceInfo;

test('announces on the first IPv4 address of each network, or on loopback without one', () => {
  const lo = [of('IPv4', '127.0.0.1', true), of('IPv6', '::1', true)];
  const eth0 = [of('IPv6', 'fe80::1'), of('IPv4', '10.0.0.1'), of('IPv4', '10.0.0.2')];
  const eth1 = [of('IPv4', '10.0.1.1')];
  expect(multicastAddresses({ lo, eth0, eth1 })).toEqual(['10.0.0.1', '10.0.1.1']);
  expect(multicastAddresses({ lo, eth0: [of('IPv6', 'fe80::1')] })).toEqual(['127.0.0.1']);
  const many = Array.from({ length: 40 }, (_, i) => [`eth${i}`, [of('IPv4', `10.1.${i}.1`)]]);
  expect(multicastAddresses(Object.fromEntries(many))).toHaveLength(16);
});
