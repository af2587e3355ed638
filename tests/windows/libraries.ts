import { writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes the two libraries that Wine 8 lacks or has no more than stubs of. Each is a DLL of exports only: another
 * library's function, or a few bytes of x86-64. So no compiler is needed.
 */

/** `library.function` that an export stands for, or its code. */
type Export = string | readonly number[];

/** The layout is that of Microsoft's "PE Format": headers, then one section with the directory of exports and the code. */
function writeLibrary(file: string, exports: Record<string, Export>): void {
  const section = 0x1000;
  const names = Object.keys(exports).sort();
  const parts: Buffer[] = [];
  let end = section + 40 + names.length * 10;
  const put = (bytes: Buffer) => {
    const rva = end;
    parts.push(bytes);
    end += bytes.length;
    return rva;
  };
  const text = (value: string) => Buffer.from(`${value}\0`, 'latin1');
  const fileName = put(text(path.basename(file)));
  const nameAt = names.map((name) => put(text(name)));
  const forwarded = names.map((name) => {
    const target = exports[name];
    return typeof target === 'string' ? put(text(target)) : 0;
  });
  const directoryEnd = end; // addresses within the export directory are forwarders
  const codeAt = names.map((name, i) => {
    const code = exports[name];
    return forwarded[i] || put(Buffer.from(typeof code === 'string' ? [] : (code ?? [])));
  });
  const directory = Buffer.alloc(40 + names.length * 10);
  const functions = section + 40;
  const pointers = functions + 4 * names.length;
  const ordinals = pointers + 4 * names.length;
  for (const [offset, value] of [
    [12, fileName],
    [16, 1],
    [20, names.length],
    [24, names.length],
    [28, functions],
    [32, pointers],
    [36, ordinals],
  ] as const)
    directory.writeUInt32LE(value, offset);
  names.forEach((_, i) => {
    directory.writeUInt32LE(codeAt[i] ?? 0, 40 + 4 * i);
    directory.writeUInt32LE(nameAt[i] ?? 0, 40 + 4 * names.length + 4 * i);
    directory.writeUInt16LE(i, 40 + 8 * names.length + 2 * i);
  });
  const body = Buffer.concat([directory, ...parts]);
  const raw = Math.ceil(body.length / 0x200) * 0x200;
  const image = Buffer.alloc(0x200 + raw);
  image.write('MZ', 0);
  image.writeUInt32LE(0x80, 0x3c);
  image.write('PE\0\0', 0x80, 'latin1');
  image.writeUInt16LE(0x8664, 0x84); // x86-64
  image.writeUInt16LE(1, 0x86); // sections
  image.writeUInt16LE(240, 0x94); // size of the optional header
  image.writeUInt16LE(0x2022, 0x96); // executable, large addresses, DLL
  const opt = 0x98;
  image.writeUInt16LE(0x20b, opt); // PE32+
  image.writeBigUInt64LE(0x180000000n, opt + 24);
  image.writeUInt32LE(0x1000, opt + 32); // alignment of sections in memory
  image.writeUInt32LE(0x200, opt + 36); // and in the file
  image.writeUInt16LE(6, opt + 40);
  image.writeUInt16LE(6, opt + 48);
  image.writeUInt32LE(section + Math.ceil(raw / 0x1000) * 0x1000, opt + 56); // size of the image
  image.writeUInt32LE(0x200, opt + 60); // size of the headers
  image.writeUInt16LE(3, opt + 68); // subsystem: console
  image.writeUInt16LE(0x140, opt + 70); // dynamic base, NX
  image.writeUInt32LE(16, opt + 108); // directories
  image.writeUInt32LE(section, opt + 112); // of them the exports
  image.writeUInt32LE(directoryEnd - section, opt + 116);
  const head = opt + 240;
  image.write('.text', head);
  for (const [offset, value] of [
    [8, body.length],
    [12, section],
    [16, raw],
    [20, 0x200],
    [36, 0x60000020],
  ] as const)
    image.writeUInt32LE(value, head + offset);
  body.copy(image, 0x200);
  writeFileSync(file, image);
}

/** xor eax, eax; ret */
const SUCCESS = [0x31, 0xc0, 0xc3];
/** mov eax, CR_NO_SUCH_DEVNODE; ret */
const NO_SUCH_DEVNODE = [0xb8, 0x0d, 0, 0, 0, 0xc3];

/** @param folder `system32` of the prefix */
export function writeLibraries(folder: string): void {
  // Every native module in Rust needs it for random numbers: usb, rolldown, swc.
  writeLibrary(path.join(folder, 'bcryptprimitives.dll'), { ProcessPrng: 'advapi32.SystemFunction036' });
  // The module usb waits for devices with CM_Register_Notification, for which Wine ends the process. Here there is none.
  writeLibrary(path.join(folder, 'cfgmgr32.dll'), {
    CM_Register_Notification: [0x49, 0xc7, 0x01, 1, 0, 0, 0, ...SUCCESS], // *notification = 1
    CM_Unregister_Notification: SUCCESS,
    CM_Get_Device_Interface_List_SizeW: [0xc7, 0x01, 1, 0, 0, 0, ...SUCCESS], // *length = 1
    CM_Get_Device_Interface_ListW: [0x66, 0x41, 0xc7, 0x00, 0, 0, ...SUCCESS], // *buffer = 0
    CM_Get_DevNode_PropertyW: NO_SUCH_DEVNODE,
    CM_Get_Sibling: NO_SUCH_DEVNODE,
    CM_Get_Child: NO_SUCH_DEVNODE,
    CM_Open_DevNode_Key: NO_SUCH_DEVNODE,
    CM_Locate_DevNodeW: NO_SUCH_DEVNODE,
    CM_Get_Parent: NO_SUCH_DEVNODE,
    CM_Get_Device_Interface_PropertyW: NO_SUCH_DEVNODE,
  });
}
