// The replacement of Node's channel in a process of Electron: see utilityProcess in electron.mjs.
const send = process.send.bind(process);
process.parentPort = {
  postMessage: (message) => send(message, undefined, undefined, () => {}),
  on: (event, listener) => process.on(event, (data) => listener({ data })),
};
// Chromium ends it with the application.
process.once('disconnect', () => process.exit());
